import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { connectionOfRunning, type Embedded, startEmbedded } from './embedded/embedded.ts';
import { errorCode, messageOf, StartupError } from './startup-error.ts';

/** The oldest PostgreSQL that Parley works with. */
const oldestVersion = 15;

/** A database that answered, and what to do when it is no longer needed. */
export type Connected = {
  connection: pg.PoolConfig;
  /** Undefined with DATABASE_URL, and where another process runs the embedded PostgreSQL. */
  embedded: Embedded | undefined;
  stop: () => Promise<void>;
};

/**
 * Reaches the database of DATABASE_URL, or starts the embedded one.
 * @throws StartupError with a sentence for the operator.
 */
export async function connect(config: Config, log: Logger, signal?: AbortSignal): Promise<Connected> {
  if (config.databaseUrl !== undefined) return connectTo(config.databaseUrl);
  const embedded = await startEmbedded({ folder: config.dataFolder, log, signal });
  return { connection: embedded.connection, embedded, stop: () => embedded.stop() };
}

/** For commands that work beside a running Parley: uses its database where one runs, else does as `connect`. */
export async function connectBeside(config: Config, log: Logger): Promise<Connected> {
  const running = config.databaseUrl === undefined ? await connectionOfRunning(config.dataFolder) : undefined;
  if (running === undefined) return connect(config, log);
  return { connection: running, embedded: undefined, stop: () => Promise.resolve() };
}

async function connectTo(url: string): Promise<Connected> {
  const connection = { connectionString: url };
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int / 10000 as version`,
    );
    const version = rows[0]?.version ?? 0;
    if (version < oldestVersion)
      throw new StartupError(
        `The database at ${withoutPassword(url)} is PostgreSQL ${version}, and Parley needs ${oldestVersion} or newer.`,
      );
    return { connection, embedded: undefined, stop: () => Promise.resolve() };
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database at ${withoutPassword(url)} cannot be reached: ${reason(error)}.`);
  } finally {
    await client.end().catch(() => {});
  }
}

/** An address as it may be shown. Parameters go as well: `?password=` is one. */
export function withoutPassword(url: string): string {
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username && `${username}@`}${host}${pathname}`;
}

function reason(error: unknown): string {
  const reasons: Record<string, string> = {
    ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
    ENOTFOUND: 'there is no such host (ENOTFOUND)',
    EAI_AGAIN: 'the name of the host cannot be looked up (EAI_AGAIN)',
  };
  // Several addresses were tried for one name; each has its own error.
  const code = errorCode(error) ?? (error instanceof AggregateError ? errorCode(error.errors[0]) : undefined);
  return reasons[code ?? ''] ?? messageOf(error);
}
