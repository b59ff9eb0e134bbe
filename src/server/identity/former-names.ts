import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '#server/core/database.ts';
import type { JobDefinition, JobQueue } from '#server/core/job-queue.ts';
import { forgetSomeWebhookRequests } from './account-deletion-queries.ts';

/** Queues the removal of a member's former name, in the transaction that changes the name. Absent without jobs. */
export type QueueFormerName = (tx: Tx, memberId: number) => Promise<void>;

const jobName = 'former-name';

export function createFormerNameQueue(jobs: JobQueue): QueueFormerName {
  // Not the member as the key: a running job may have passed deliveries with the name that ends now.
  return (tx, memberId) => jobs.enqueue(tx, jobName, { key: randomUUID(), data: { memberId } });
}

/** Deliveries that one statement changes. */
const batchSize = 2_000;

/** Creates the job that removes a former name from the deliveries of web hooks. There may be too many for a request. */
export function createFormerNameJob(db: Database) {
  return {
    name: jobName,
    retries: { limit: 20, delaySeconds: 5, maxDelaySeconds: 600 },
    timeoutSeconds: 300,
    concurrency: 1,
    async run({ memberId }: { memberId: number }) {
      while ((await forgetSomeWebhookRequests(db, { memberId, limit: batchSize })) > 0);
    },
  } satisfies JobDefinition<{ memberId: number }>;
}
