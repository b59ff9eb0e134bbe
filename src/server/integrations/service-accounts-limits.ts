import type { Database } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { createRateLimit } from '#server/core/rate-limits.ts';

/** The limits that an admin set for a service account. */
export type ServiceAccountRates = { memberId: number; requestsPerMinute: number; postsPerHour: number };

/** Attempts count, so that a program that fails again and again is stopped, too. */
const postingEndpoints: ReadonlySet<string> = new Set([
  'POST /questions',
  'POST /questions/{id}/answers',
  'POST /questions/{id}/replies',
  'POST /answers/{id}/replies',
]);

/**
 * Counts a request of a service account against its own limits, on all nodes together. The limits for every member apply
 * as well.
 * @param endpoint as in the OpenAPI document
 * @throws ProblemError 'service-account-limit'
 */
export async function consumeServiceAccountRequest(
  db: Database,
  { memberId, requestsPerMinute, postsPerHour }: ServiceAccountRates,
  endpoint: string | undefined,
): Promise<void> {
  await consume({ name: 'service-requests', points: requestsPerMinute, seconds: 60 });
  if (endpoint !== undefined && postingEndpoints.has(endpoint))
    await consume({ name: 'service-posts', points: postsPerHour, seconds: 60 * 60 });

  async function consume(rule: { name: string; points: number; seconds: number }): Promise<void> {
    const rate = createRateLimit(db, rule);
    if (await rate.consume(String(memberId))) return;
    throw new ProblemError('service-account-limit', {
      params: { max: rule.points },
      retryAfter: await rate.secondsLeft(String(memberId)),
    });
  }
}
