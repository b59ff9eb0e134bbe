import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '#server/core/config.ts';
import { sessionSettings } from '#server/core/database.ts';
import { findRunningConnection, type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';
import { isUnsupportedParameterError, detectPoolingMode } from './pooler.ts';
import { getErrorCode, getErrorMessage, StartupError } from '#server/core/startup-error.ts';

/** The oldest PostgreSQL that Parley works with. */
const oldestVersion = 15;

/** A database that answered, and what to do when it is no longer needed. */
export type ConnectedDatabase = {
  /** To PostgreSQL itself. */
  connection: pg.PoolConfig;
  /** To a pooler that gives each transaction a server, for what requests ask; undefined where there is none. */
  pooled: pg.PoolConfig | undefined;
  /** Undefined with DATABASE_URL, and where another process runs the embedded PostgreSQL. */
  embedded: EmbeddedPostgres | undefined;
  stop: () => Promise<void>;
};

/**
 * Reaches the database of DATABASE_URL, or starts the embedded one.
 * @throws StartupError with a sentence for the operator.
 */
export async function connectDatabase(
  config: Config,
  log: Logger,
  signal?: AbortSignal,
): Promise<ConnectedDatabase> {
  const { databaseUrl: url, databaseDirectUrl: directUrl } = config;
  if (url !== undefined)
    return directUrl === undefined ? connectTo('DATABASE_URL', url) : connectThrough(url, directUrl);
  const embedded = await startEmbeddedPostgres({ dataDirectory: config.dataDirectory, log, signal });
  return { connection: embedded.connection, pooled: undefined, embedded, stop: () => embedded.stop() };
}

/** For commands that work beside a running Parley: uses its database where one runs, else does as `connect`. */
export async function connectBesideRunning(config: Config, log: Logger): Promise<ConnectedDatabase> {
  const running =
    config.databaseUrl === undefined ? await findRunningConnection(config.dataDirectory) : undefined;
  if (running === undefined) return connectDatabase(config, log);
  return { connection: running, pooled: undefined, embedded: undefined, stop: () => Promise.resolve() };
}

/** PostgreSQL itself, or a pooler in session mode, which is as good. `name`: the setting the address comes from. */
async function connectTo(name: string, url: string): Promise<ConnectedDatabase> {
  const where = redactPassword(url);
  const pooling = await withClient(url, sessionSettings, async (client) => {
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int / 10000 as version`,
    );
    const version = rows[0]?.version ?? 0;
    if (version < oldestVersion)
      throw new StartupError(
        `The database at ${where} is PostgreSQL ${version}, and Parley needs ${oldestVersion} or newer.`,
      );
    return withClient(url, sessionSettings, (other) => detectPoolingMode(client, other));
  });
  if (pooling === 'transaction')
    throw new StartupError(
      `At ${where} (${name}) is a pooler that gives each transaction another connection, such as PgBouncer in transaction mode: ${directUrlHint}.`,
    );
  const connection = { connectionString: url };
  return { connection, pooled: undefined, embedded: undefined, stop: () => Promise.resolve() };
}

/** A pooler for what requests ask, and PostgreSQL itself for what needs a session. */
async function connectThrough(url: string, directUrl: string): Promise<ConnectedDatabase> {
  const connected = await connectTo('DATABASE_DIRECT_URL', directUrl);
  const [pooled, direct] = [
    await withClient(url, {}, identifyDatabase),
    await withClient(directUrl, {}, identifyDatabase),
  ];
  if (pooled !== direct)
    throw new StartupError(
      `DATABASE_URL (${redactPassword(url)}) and DATABASE_DIRECT_URL (${redactPassword(directUrl)}) lead to different databases.`,
    );
  return { ...connected, pooled: { connectionString: url } };
}

const directUrlHint = 'DATABASE_DIRECT_URL has to name PostgreSQL itself, beside the pooler in DATABASE_URL';

/** Works on a connection that ends with the work. @throws StartupError where there is none */
async function withClient<Result>(
  url: string,
  settings: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const where = redactPassword(url);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, ...settings });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    if (isUnsupportedParameterError(error))
      throw new StartupError(`At ${where} is a pooler that refuses settings of a session: ${directUrlHint}.`);
    throw new StartupError(`The database at ${where} cannot be reached: ${describeConnectionError(error)}.`);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Names a database among all of all servers. */
async function identifyDatabase(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ database: string }>(`
    select extract(epoch from pg_postmaster_start_time()) || ' ' || oid as database
    from pg_database where datname = current_database()`);
  return rows[0]?.database;
}

/** An address as it may be shown. Parameters go as well: `?password=` is one. */
export function redactPassword(url: string): string {
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username && `${username}@`}${host}${pathname}`;
}

function describeConnectionError(error: unknown): string {
  const reasons: Record<string, string> = {
    ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
    ENOTFOUND: 'there is no such host (ENOTFOUND)',
    EAI_AGAIN: 'the name of the host cannot be looked up (EAI_AGAIN)',
  };
  // Several addresses were tried for one name; each has its own error.
  const code =
    getErrorCode(error) ?? (error instanceof AggregateError ? getErrorCode(error.errors[0]) : undefined);
  return reasons[code ?? ''] ?? getErrorMessage(error);
}
