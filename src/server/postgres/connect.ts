import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '#server/core/config.ts';
import { sessionSettings } from '#server/core/database.ts';
import { findRunningConnection, type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';
import { isTransactionPooler, isUnsupportedParameterError } from './pooler.ts';
import { getErrorCode, getErrorMessage, StartupError } from '#server/core/startup-error.ts';

/** The oldest supported PostgreSQL version. */
const oldestVersion = 15;

/** An open database connection and how to close it. */
export type ConnectedDatabase = {
  /** Connects to PostgreSQL directly. */
  connection: pg.PoolConfig;
  /** Connects through a pooler in transaction mode, for requests. Undefined without a pooler. */
  pooled: pg.PoolConfig | undefined;
  /** Undefined with DATABASE_URL, and where another process runs the embedded PostgreSQL. */
  embedded: EmbeddedPostgres | undefined;
  stop: () => Promise<void>;
};

/**
 * Connects to the database of DATABASE_URL, or starts the embedded one.
 * @throws StartupError with a message for the operator
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

/**
 * For commands that run next to a running Parley: uses its database if one is running, otherwise calls
 * `connectDatabase`.
 */
export async function connectToRunningOrStart(config: Config, log: Logger): Promise<ConnectedDatabase> {
  const running =
    config.databaseUrl === undefined ? await findRunningConnection(config.dataDirectory) : undefined;
  if (running === undefined)
    return config.databaseUrl === undefined ? startForCommand(config, log) : connectDatabase(config, log);
  return { connection: running, pooled: undefined, embedded: undefined, stop: () => Promise.resolve() };
}

/**
 * Starts the embedded PostgreSQL for a command. Without a handler of the command, an interruption would end this process
 * and leave PostgreSQL running, so this one stops it first.
 */
async function startForCommand(config: Config, log: Logger): Promise<ConnectedDatabase> {
  if (process.listenerCount('SIGINT') > 0) return connectDatabase(config, log);
  const starting = new AbortController();
  let connected: ConnectedDatabase | undefined;
  const interrupt = () => {
    starting.abort();
    void connected?.stop().finally(() => process.exit(130));
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  connected = await connectDatabase(config, log, starting.signal);
  const { stop } = connected;
  return {
    ...connected,
    async stop() {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      await stop();
    },
  };
}

/**
 * Connects to PostgreSQL directly or through a pooler in session mode, which behaves the same. `name` is the setting
 * that contains the address.
 */
async function connectTo(name: string, url: string): Promise<ConnectedDatabase> {
  const where = redactPassword(url);
  const isPooled = await withClient(url, sessionSettings, async (client) => {
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int / 10000 as version`,
    );
    const version = rows[0]?.version ?? 0;
    if (version < oldestVersion)
      throw new StartupError(
        `PostgreSQL at ${where} has version ${version}. Parley needs ${oldestVersion} or newer.`,
      );
    return withClient(url, sessionSettings, (other) => isTransactionPooler(client, other));
  });
  if (isPooled)
    throw new StartupError(
      `${where} (${name}) is a pooler in transaction mode, such as PgBouncer: ${directUrlHint}.`,
    );
  const connection = { connectionString: url };
  return { connection, pooled: undefined, embedded: undefined, stop: () => Promise.resolve() };
}

/** Uses a pooler for requests, and PostgreSQL directly for everything that needs a session. */
async function connectThrough(url: string, directUrl: string): Promise<ConnectedDatabase> {
  const connected = await connectTo('DATABASE_DIRECT_URL', directUrl);
  const [pooled, direct] = [
    await withClient(url, {}, identifyDatabase),
    await withClient(directUrl, {}, identifyDatabase),
  ];
  if (pooled !== direct)
    throw new StartupError(
      `DATABASE_URL (${redactPassword(url)}) and DATABASE_DIRECT_URL (${redactPassword(directUrl)}) are different databases.`,
    );
  return { ...connected, pooled: { connectionString: url } };
}

const directUrlHint =
  'set DATABASE_DIRECT_URL to the address of PostgreSQL itself, in addition to the pooler in DATABASE_URL';

/**
 * Runs `work` on a connection and closes the connection afterwards.
 * @throws StartupError if the database cannot be reached
 */
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
      throw new StartupError(`The pooler at ${where} refuses session settings: ${directUrlHint}.`);
    throw new StartupError(`The database at ${where} cannot be reached: ${describeConnectionError(error)}.`);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Identifies a database across servers. */
async function identifyDatabase(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ database: string }>(`
    select extract(epoch from pg_postmaster_start_time()) || ' ' || oid as database
    from pg_database where datname = current_database()`);
  return rows[0]?.database;
}

/** A database URL that is safe to print. The query parameters are removed too, because `?password=` is one of them. */
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
  // Node tries several IP addresses of one host name. Each attempt has its own error.
  const code =
    getErrorCode(error) ?? (error instanceof AggregateError ? getErrorCode(error.errors[0]) : undefined);
  return reasons[code ?? ''] ?? getErrorMessage(error);
}
