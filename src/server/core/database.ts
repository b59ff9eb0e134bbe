import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, PostgresDialect, type PostgresPoolClient, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { isLockTimeout, waitForLocks } from './database-lock-waits.ts';
import { noStatementTimeout, shortLockWaits, toKyselyPool } from './database-pool.ts';
import {
  isOutdatedPlanError,
  type StatementObserver,
  type StatementOptions,
} from './database-prepared-statements.ts';

/** A connection pool. Queries outside a transaction see committed data. */
export type Database = Kysely<unknown>;

/** A running transaction. Only `transaction()` and, for imports, `transactionOfClient` create one. */
export type Tx = Transaction<unknown> & { readonly [inTransaction]: true };
declare const inTransaction: unique symbol;

/** A database or a transaction. */
export type Queryable = Database | Tx;

/**
 * Runs queries that only read: a database, a transaction, or a streaming replica (postgres/replica-driver.ts), which
 * supports neither writes nor transactions. GET handlers may call functions that take a `Reader`.
 */
export type Reader = Pick<Database, 'getExecutor'>;

export type DatabaseOptions = {
  connection: pg.PoolConfig;
  /** The maximum number of connections. */
  maxConnections?: number;
  /** Called when an idle connection breaks. Without a listener, Node would end the process. */
  onIdleError?: (error: Error) => void;
  /**
   * Whether a pooler assigns another server connection to each transaction. Settings and prepared statements then do
   * not survive a transaction.
   */
  isPooled?: boolean;
  /** Default: frequent statements. */
  prepares?: StatementOptions['prepares'];
  /** Observes the pool and its statements. */
  monitor?: { onOpen: (pool: pg.Pool) => void; onStatement: StatementObserver };
};

/** The timeout of a statement, in milliseconds. A request that exceeds it is refused. */
export const statementTimeoutMs = 15_000;

/** How long after its timeout a statement may take to fail, in milliseconds. Later, the server does not respond. */
const cancelTimeMs = 5_000;
export const responseTimeoutMs = statementTimeoutMs + cancelTimeMs;

export function openDatabase(options: DatabaseOptions): Database {
  const { connection, isPooled = false, prepares, monitor } = options;
  const pool = openPool({
    ...options,
    connection: isPooled ? { ...noSettings, ...connection, pipeline: true } : connection,
  });
  monitor?.onOpen(pool);
  const statementTimeout = connection.statement_timeout ?? statementTimeoutMs;
  const statements = {
    onStatement: monitor?.onStatement,
    prepares,
    // Without a statement timeout (0 or false), a response can take any time.
    responseTimeoutMs: statementTimeout ? statementTimeout + cancelTimeMs : undefined,
  };
  return new Kysely<unknown>({
    dialect: new PostgresDialect({
      pool: isPooled
        ? toKyselyPool(pool, { ...statements, prepares: 'none', settings: transactionSettings })
        : toKyselyPool(pool, statements),
    }),
  });
}

/** The number of connections shared by all searches of a node, so that other requests keep the rest. */
const maxSearchConnections = 5;

/** The timeout in milliseconds of one search statement, and of waiting for a search connection. */
const searchTimeoutMs = 3_000;
const searchPoolWaitMs = 2_000;

/** The settings of search connections. A search that takes longer is refused. */
export const searchPoolSettings = {
  size: maxSearchConnections,
  connection: { statement_timeout: searchTimeoutMs, connectionTimeoutMillis: searchPoolWaitMs },
} as const;

/** Opens the connections for searches. */
export function openSearchDatabase({
  connection,
  onStatement,
}: {
  connection: pg.PoolConfig;
  onStatement?: StatementObserver;
}): Database {
  return openDatabase({
    maxConnections: searchPoolSettings.size,
    connection: { ...connection, ...searchPoolSettings.connection },
    prepares: 'marked',
    monitor: { onOpen: () => {}, onStatement: onStatement ?? (() => {}) },
  });
}

/** How long running queries may take after a stop signal, in milliseconds. */
export const poolCloseTimeoutMs = 5_000;

/** Waits for running queries, with a timeout. Stopping PostgreSQL ends the rest. */
export async function closePool(db: Database): Promise<void> {
  const tooLong = new Promise<void>((resolve) => setTimeout(resolve, poolCloseTimeoutMs).unref());
  await Promise.race([db.destroy(), tooLong]);
}

/** The session settings of all connections. */
export const sessionSettings = {
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: 30_000,
  // Every statement of a request has an index. For a search with two hundred rare words, PostgreSQL estimates that half
  // of all posts match and would prefer a sequential scan. The cost that this adds to a scan would make a PostgreSQL with
  // LLVM compile the statement, which takes longer than the statement itself.
  options: '-c enable_seqscan=off -c jit=off',
} as const;

/** The same settings for one transaction, as SQL. */
const transactionSettings = `set local statement_timeout = ${sessionSettings.statement_timeout};
  set local idle_in_transaction_session_timeout = ${sessionSettings.idle_in_transaction_session_timeout};
  set local enable_seqscan = off;
  set local jit = off`;

const noSettings = {
  statement_timeout: undefined,
  idle_in_transaction_session_timeout: undefined,
  options: undefined,
} as const;

/** SQL on a connection whose transactions the caller begins and ends. */
export function databaseFromClient(client: pg.ClientBase): Database {
  const only: PostgresPoolClient = { query: client.query.bind(client), release: () => {} };
  const pool = { options: {}, connect: () => Promise.resolve(only), end: () => Promise.resolve() };
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
}

/** The transaction that the caller has begun on a connection, and ends. What waits for its commit does not run. */
export function transactionOfClient(client: pg.ClientBase): Tx {
  const query = (text: string, values: unknown[]) => client.query({ text, values, types: javascriptTypes });
  const only = { query, release: () => {} } as unknown as PostgresPoolClient;
  const pool = { options: {}, connect: () => Promise.resolve(only), end: () => Promise.resolve() };
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) }) as unknown as Tx;
}

/** Closes a connection within 20 seconds after the network or the other machine is lost, if nothing was being sent. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/** Opens a pool. `connection` overrides the common settings. */
export function openPool({
  connection,
  maxConnections = 20,
  onIdleError = () => {},
}: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    ...keepAlive,
    ...sessionSettings,
    application_name: 'parley',
    types: javascriptTypes,
    ...connection,
  });
  pool.on('error', onIdleError);
  // The pool listens for errors only while a connection is idle. If a connection breaks between two queries of a
  // transaction, the next query fails. Without this listener, the error event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Runs `work` in one transaction, which is rolled back if `work` throws. After a deadlock, a serialization failure or a
 * short wait for a lock, `work` runs again, so it must have no effects outside `tx`.
 */
export async function transaction<Result>(
  db: Database,
  work: (tx: Tx) => Promise<Result>,
  options: LockOptions = {},
): Promise<Result> {
  const run = (lockTimeoutMs?: number) =>
    retryConflicts(() =>
      runOnce(db, lockTimeoutMs === undefined ? work : withLockTimeout(lockTimeoutMs, work)),
    );
  const { result, hooks } = await runWithLocks(run, options);
  for (const hook of hooks) await hook(db);
  return result;
}

/**
 * How a transaction waits for locks. By default it does not hold its connection for long (database-lock-waits.ts), and
 * gives up after about 15 seconds (55P03).
 */
export type LockOptions = {
  /** Waits with its connection, and gives up after this time. 0: only the timeout of the statement ends the wait. */
  lockTimeoutMs?: number;
  /** An earlier attempt did not get its locks: waits as one of the few that may do so with a connection. */
  wasLocked?: boolean;
};

async function runWithLocks<Result>(
  run: (lockTimeoutMs?: number) => Promise<Result>,
  { lockTimeoutMs, wasLocked = false }: LockOptions,
): Promise<Result> {
  if (lockTimeoutMs !== undefined) return run(lockTimeoutMs);
  if (wasLocked) return waitForLocks(run);
  try {
    // The connection sets the timeout of the first attempt, without a round trip (database-pool.ts).
    return await run();
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return waitForLocks(run);
  }
}

/** Runs a transaction again after a deadlock or serialization failure. */
export async function retryConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= maxAttempts || !isRetryable(error)) throw error;
      // A random delay, so that conflicting transactions do not collide again.
      await delay(Math.random() * attempt * retryDelayMs);
    }
  }
}

/**
 * Runs `hook` after the transaction is committed, and never if it is rolled back. The transaction returns when the hook
 * has ended.
 */
export function onCommit(tx: Tx, hook: CommitHook): void {
  commitHooks.get(tx)?.add(hook);
}

export type CommitHook = (db: Database) => void | Promise<unknown>;

/** A hook that is registered twice runs once. */
const commitHooks = new WeakMap<Tx, Set<CommitHook>>();

async function runOnce<Result>(db: Database, work: (tx: Tx) => Promise<Result>) {
  const hooks = new Set<CommitHook>();
  const result = await db
    .transaction()
    .setAccessMode(shortLockWaits)
    .execute((transaction) => {
      const tx = transaction as Tx;
      commitHooks.set(tx, hooks);
      return work(tx);
    });
  return { result, hooks };
}

/** Lets the following statements of a transaction take any time. */
export async function removeStatementTimeout(tx: Tx): Promise<void> {
  await sql.raw(noStatementTimeout).execute(tx);
}

function withLockTimeout<Result>(lockTimeoutMs: number, work: (tx: Tx) => Promise<Result>) {
  return async (tx: Tx): Promise<Result> => {
    await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx);
    return work(tx);
  };
}

const maxAttempts = 8;

/** The increase of the maximum random delay per attempt, in milliseconds. */
const retryDelayMs = 25;

function isRetryable(error: unknown): boolean {
  const state = getSqlState(error);
  return state === '40P01' || state === '40001' || isOutdatedPlanError(error);
}

/** The SQLSTATE of a database error, such as '23505' for a violated unique constraint. Undefined for other errors. */
export function getSqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

const { INT8 } = pg.types.builtins;

/** int8 as a number: ids and counts stay far below 2^53. */
const javascriptTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format),
};
