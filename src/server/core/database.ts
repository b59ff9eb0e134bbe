import { setTimeout as delay } from 'node:timers/promises';
import {
  Kysely,
  PostgresDialect,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type PostgresPoolClient,
  sql,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import { PooledAdapter, createPooledDriver, type StatementObserver } from './database-driver.ts';
import { isOutdatedPlanError } from './database-prepared-statements.ts';
import type { DatabaseSchema } from './database-schema.ts';

/** A connection pool with typed SQL. Queries outside a transaction see what is committed. */
export type Database = Kysely<DatabaseSchema>;

/** A running transaction; only `transaction()` makes one. */
export type Tx = Transaction<DatabaseSchema> & { readonly [inTransaction]: true };
declare const inTransaction: unique symbol;

/** What a query can run on. */
export type Queryable = Database | Tx;

/**
 * What a query that only reads runs on: the database, a transaction, or a streaming replica (`replicas/`), which takes
 * neither writes nor transactions. What takes a `Reader` may stand behind a GET.
 */
export type Reader = Pick<Database, 'selectFrom' | 'getExecutor'>;

export type DatabaseOptions = {
  connection: pg.PoolConfig;
  /** Connections kept at most. */
  maxConnections?: number;
  /** Called when an idle connection breaks; without a listener Node would end the process. */
  onIdleError?: (error: Error) => void;
  /**
   * Whether a pooler gives each transaction another connection to the server: then nothing is left behind on one, neither
   * settings nor prepared statements.
   */
  isPooled?: boolean;
  /** Watches the connections, and what runs on them. */
  monitor?: { onOpen: (pool: pg.Pool) => void; onStatement: StatementObserver };
};

/** No statement runs longer, in milliseconds; a request that needs longer is refused, not waited for. */
const statementTimeoutMs = 15_000;

export function openDatabase(options: DatabaseOptions): Database {
  return new Kysely<DatabaseSchema>({
    dialect: {
      createDriver() {
        const { connection, isPooled = false, monitor } = options;
        const pool = openPool({
          ...options,
          connection: { ...(isPooled && noSettings), ...connection, pipeline: true },
        });
        monitor?.onOpen(pool);
        return createPooledDriver(pool, monitor?.onStatement, isPooled ? transactionSettings : undefined);
      },
      createAdapter: () => new PooledAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

/** Connections that all searches of a node share, so that they leave the others to everything else. */
const maxSearchConnections = 5;

/** Milliseconds that one statement of a search may take, and that it waits at most for a connection. */
const searchTimeoutMs = 3_000;
const searchPoolWaitMs = 2_000;

/** What connections for searches have of their own: a search that takes longer is refused, not waited for. */
export const searchPoolSettings = {
  size: maxSearchConnections,
  connection: { statement_timeout: searchTimeoutMs, connectionTimeoutMillis: searchPoolWaitMs },
} as const;

/** The connections that a node searches on. */
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
    monitor: { onOpen: () => {}, onStatement: onStatement ?? (() => {}) },
  });
}

/** How long running queries may take once Parley is told to stop, in milliseconds. */
export const poolCloseTimeoutMs = 5_000;

/** Waits for queries that still run, but not for ever: stopping PostgreSQL ends them. */
export async function closePool(db: Database): Promise<void> {
  const tooLong = new Promise<void>((resolve) => setTimeout(resolve, poolCloseTimeoutMs).unref());
  await Promise.race([db.destroy(), tooLong]);
}

/** What a session is to be like. */
export const sessionSettings = {
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: 30_000,
  // Every statement of a request has an index to go by. For a search of two hundred rare words PostgreSQL guesses that half
  // of all posts have one of them, and would rather read them all.
  options: '-c enable_seqscan=off',
} as const;

/** The same for one transaction, as SQL. */
const transactionSettings = `set local statement_timeout = ${sessionSettings.statement_timeout};
  set local idle_in_transaction_session_timeout = ${sessionSettings.idle_in_transaction_session_timeout};
  set local enable_seqscan = off`;

const noSettings = {
  statement_timeout: undefined,
  idle_in_transaction_session_timeout: undefined,
  options: undefined,
} as const;

/** Typed SQL on a connection whose transactions somebody else begins and ends. */
export function databaseFromClient(client: pg.Client): Database {
  const only: PostgresPoolClient = { query: client.query.bind(client), release: () => {} };
  const pool = { options: {}, connect: () => Promise.resolve(only), end: () => Promise.resolve() };
  return new Kysely<DatabaseSchema>({ dialect: new PostgresDialect({ pool }) });
}

/** The connections alone. What `connection` says wins over what holds for all. */
export function openPool({
  connection,
  maxConnections = 20,
  onIdleError = () => {},
}: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    ...sessionSettings,
    application_name: 'parley',
    types: javascriptTypes,
    ...connection,
  });
  pool.on('error', onIdleError);
  // The pool listens only while a connection is idle. One that breaks between two queries of a transaction makes the
  // next query fail, which is enough; but an error event that nobody listens to ends the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Runs `work` in one transaction, which is rolled back when it throws. A deadlock or serialisation failure, where
 * PostgreSQL rolled back one of two and asks to try again, runs it again; so `work` must have no effects but on `tx`.
 * @param options `waitsForLocks` false: gives up (55P03) where another transaction holds a lock for long.
 */
export async function transaction<Result>(
  db: Database,
  work: (tx: Tx) => Promise<Result>,
  { waitsForLocks }: { waitsForLocks: boolean } = { waitsForLocks: true },
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { result, hooks } = await runOnce(db, waitsForLocks ? work : withLockTimeout(work));
      for (const hook of hooks) hook(db);
      return result;
    } catch (error) {
      if (attempt >= maxAttempts || !isRetryable(error)) throw error;
      // Those who met each other do not begin again at the same moment.
      await delay(Math.random() * attempt * retryDelayMs);
    }
  }
}

/** Runs `hook` once the transaction is committed; never when it is rolled back. */
export function onCommit(tx: Tx, hook: CommitHook): void {
  commitHooks.get(tx)?.add(hook);
}

export type CommitHook = (db: Database) => void;

/** The same hook registered twice runs once. */
const commitHooks = new WeakMap<Tx, Set<CommitHook>>();

async function runOnce<Result>(db: Database, work: (tx: Tx) => Promise<Result>) {
  const hooks = new Set<CommitHook>();
  const result = await db.transaction().execute((transaction) => {
    const tx = transaction as Tx;
    commitHooks.set(tx, hooks);
    return work(tx);
  });
  return { result, hooks };
}

/** How long an impatient transaction waits for a lock: longer than another one takes, also on a busy machine. */
const lockTimeout = '1s';

function withLockTimeout<Result>(work: (tx: Tx) => Promise<Result>) {
  return async (tx: Tx): Promise<Result> => {
    await sql`set local lock_timeout = ${sql.lit(lockTimeout)}`.execute(tx);
    return work(tx);
  };
}

const maxAttempts = 8;

/** How much longer each further attempt waits at most, in milliseconds. */
const retryDelayMs = 25;

function isRetryable(error: unknown): boolean {
  const state = getSqlState(error);
  return state === '40P01' || state === '40001' || isOutdatedPlanError(error);
}

/** The SQLSTATE of a database error, such as '23505' for a broken unique constraint; undefined for others. */
export function getSqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

const { INT8 } = pg.types.builtins;

/** int8 as a number: ids and counts stay far below 2^53. */
const javascriptTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format),
};
