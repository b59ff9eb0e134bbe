import type pg from 'pg';

/** How often to try to observe a session that moves from one server connection to another. */
const maxTries = 5;

/**
 * Whether two connected clients of the same address share server connections: a pooler assigns one per transaction, not
 * per session. PostgreSQL itself reports the process id of its backend when a client connects. A pooler such as PgBouncer
 * invents one.
 */
export async function isTransactionPooler(one: pg.Client, other: pg.Client): Promise<boolean> {
  const reportedPid = Reflect.get(one, 'processID');
  if (reportedPid === (await backendPid(one))) return false;
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const before = await backendPid(one);
    try {
      await other.query('begin');
    } catch {
      // A pooler in statement mode, which releases a server connection even sooner, refuses transactions.
      return true;
    }
    const otherPid = await backendPid(other);
    // If there is only one server connection, `one` would have to wait for it now.
    const isShared = otherPid === before || (await backendPid(one)) !== before;
    await other.query('rollback');
    if (isShared) return true;
  }
  return false;
}

async function backendPid(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ server: number }>('select pg_backend_pid() as server');
  return rows[0]?.server;
}

/** Whether a pooler refused a setting that the client requests for its session. */
export function isUnsupportedParameterError(error: unknown): boolean {
  return error instanceof Error && error.message.includes('unsupported startup parameter');
}
