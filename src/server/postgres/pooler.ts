import type pg from 'pg';

/** What stands between a client and PostgreSQL: nothing, or a pooler that gives it a server for a session or less. */
export type PoolingMode = 'none' | 'session' | 'transaction';

/** How often it is tried to see a session move from one server to another. */
const maxTries = 5;

/**
 * How two clients of the same address, both connected, are given their servers. PostgreSQL itself names the process that
 * serves a client as the client connects; a pooler, such as PgBouncer, makes up a number.
 */
export async function detectPoolingMode(one: pg.Client, other: pg.Client): Promise<PoolingMode> {
  const named = Reflect.get(one, 'processID');
  if (named === (await backendPid(one))) return 'none';
  for (let each = 0; each < maxTries; each++) {
    const before = await backendPid(one);
    try {
      await other.query('begin');
    } catch {
      // A pooler in statement mode, which gives a server away even sooner, lets no transaction begin.
      return 'transaction';
    }
    const others = await backendPid(other);
    // Where there is one server alone, `one` would have to wait for it now.
    const isShared = others === before || (await backendPid(one)) !== before;
    await other.query('rollback');
    if (isShared) return 'transaction';
  }
  return 'session';
}

async function backendPid(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ server: number }>('select pg_backend_pid() as server');
  return rows[0]?.server;
}

/** Whether a pooler refused what a client wants to have set for its session. */
export function isUnsupportedParameterError(error: unknown): boolean {
  return error instanceof Error && error.message.includes('unsupported startup parameter');
}
