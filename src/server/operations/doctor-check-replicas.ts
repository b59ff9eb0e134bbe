import { setTimeout as delay } from 'node:timers/promises';
import { redactPassword } from '#server/postgres/index.ts';
import { type Database, openDatabase } from '#server/core/database.ts';
import { getErrorMessage } from '#server/core/startup-error.ts';
import { type Finding, createFinding, okFinding } from './doctor-findings.ts';
import { getPrimaryPosition, getReplicaState, type PrimaryPosition } from './doctor-queries.ts';

/** @param primary undefined if it cannot be reached; whether the replicas are up to date is unknown then */
export async function checkReplicas(
  urls: readonly string[],
  primary: Database | undefined,
): Promise<Finding[]> {
  if (urls.length === 0) return [];
  const position = primary && (await getPrimaryPosition(primary));
  return Promise.all(urls.map((url) => checkReplica(url, position)));
}

/** How long a replica may take to replay what the primary has written, in milliseconds, as for reads of pages. */
const maxReplicaLagMs = 2_000;

async function checkReplica(url: string, position: PrimaryPosition | undefined): Promise<Finding> {
  const name = redactPassword(url);
  const finding = createFinding('replica');
  const why = 'Parley does not use it. The primary serves its reads.';
  const replica = openDatabase({ connection: { connectionString: url }, maxConnections: 1 });
  try {
    const { system, hasReached, isReceiving } = await waitForReplica(replica, position?.lsn ?? '0/0');
    if (hasReached === null)
      return finding(
        'problem',
        `${name} is not a standby.`,
        why,
        'Make it follow the primary again, or remove it from DATABASE_REPLICA_URLS.',
      );
    if (position === undefined)
      return finding(
        'warning',
        `${name} is a standby.`,
        'Whether it is up to date is unknown, because the primary does not respond.',
        'Start the primary.',
      );
    if (system !== position.system)
      return finding(
        'problem',
        `${name} replicates another database server.`,
        why,
        'Create it from this primary again, or remove it from DATABASE_REPLICA_URLS.',
      );
    if (hasReached) return okFinding('replica', `${name} is up to date.`);
    return isReceiving
      ? finding(
          'warning',
          `${name} lags by more than ${maxReplicaLagMs / 1_000} s.`,
          why,
          'Check its disk, and long queries on it.',
        )
      : finding(
          'warning',
          `${name} lags and is not connected to the primary.`,
          why,
          'Read its log. Check primary_conninfo there, and pg_hba.conf and the replication slot of the primary.',
        );
  } catch (error) {
    return finding(
      'problem',
      `${name} does not respond: ${getErrorMessage(error)}.`,
      why,
      'Start it, or remove it from DATABASE_REPLICA_URLS.',
    );
  } finally {
    await replica.destroy();
  }
}

/** Waits until the replica has replayed the log up to the position, for `maxReplicaLagMs` at most. */
async function waitForReplica(replica: Database, lsn: string): ReturnType<typeof getReplicaState> {
  const end = performance.now() + maxReplicaLagMs;
  let state = await getReplicaState(replica, { lsn });
  while (state.hasReached === false && performance.now() < end) {
    await delay(100);
    state = await getReplicaState(replica, { lsn });
  }
  return state;
}
