import { sanitizeHeader } from '#server/core/mailer.ts';
import type { Database, Reader } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { createMemberLimit } from '#server/core/rate-limits.ts';
import {
  findEmailOfMember,
  readEmailState,
  type EmailSending,
  type EmailSite,
} from '#server/notifications/index.ts';
import {
  emailKind,
  type EmailKind,
  type EmailOverview,
  type TestEmailOutcome,
} from '#shared/admin/emails.ts';
import { buildSampleEmail } from './email-samples.ts';

/** @param sending null without a mail server */
export async function readEmailOverview(
  db: Reader,
  { site, sending }: { site: EmailSite; sending: EmailSending | null },
): Promise<EmailOverview> {
  const { failures, membersOff } = await readEmailState(db);
  return {
    kinds: emailKind.options.map((kind) => ({ kind, subject: buildSampleEmail(kind, site).subject })),
    sender: sending?.sender ?? null,
    bounceAddress: sending?.bounceAddress ?? null,
    replyAddress: sending?.replyAddress ?? null,
    membersOff,
    failures: failures.map((failure) => ({ ...failure, lastAt: failure.lastAt.toISOString() })),
  };
}

/**
 * Sends an example of an email to the admin, and waits for the mail server's answer.
 * @throws ProblemError 'disabled' without a mail server, 'too-many'
 */
export function createTestEmails(db: Database, sending: EmailSending | null) {
  const limit = createMemberLimit(db, {
    name: 'test-email',
    code: 'too-often',
    points: 20,
    seconds: 60 * 60,
  });
  return async function sendTestEmail(
    adminId: number,
    { kind, site }: { kind: EmailKind; site: EmailSite },
  ): Promise<TestEmailOutcome> {
    if (sending === null) throw new ProblemError('email-disabled');
    const address = await findEmailOfMember(db, adminId);
    if (address === undefined) throw new ProblemError('email-disabled');
    await limit(adminId);
    const id = `test-${adminId}-${Date.now()}`;
    try {
      const answer = await sending.send({ ...buildSampleEmail(kind, site), to: address.email, id });
      return { outcome: 'accepted', answer: sanitizeHeader(answer) };
    } catch (error) {
      return describeError(error);
    }
  };
}

/** The codes are those of Nodemailer and Node. */
function describeError(error: unknown): TestEmailOutcome {
  const source = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, response, message } = source as { code?: string; response?: string; message?: string };
  const answer = sanitizeHeader(response ?? message ?? 'unknown');
  if (code === 'EAUTH') return { outcome: 'signed-out', answer };
  if (code === 'ETLS' || code === 'ESOCKET')
    return { outcome: code === 'ETLS' ? 'no-tls' : 'unreachable', answer };
  return { outcome: response === undefined ? 'unreachable' : 'refused', answer };
}
