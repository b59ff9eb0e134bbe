import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresAdapter,
  type QueryResult,
  type RawBuilder,
} from 'kysely';
import type pg from 'pg';
import type { Tx } from './database.ts';
import { forgetOutdatedPlan, toStatement } from './database-prepared-statements.ts';

/** Called with each statement (with placeholders for values) and its duration in milliseconds. */
export type StatementObserver = (statement: string, milliseconds: number) => void;

/**
 * Runs queries on a connection pool and uses prepared statements for frequent ones. Pipelines `begin` and the queries
 * of `runPipelined`, so no round trip is spent on starting a transaction.
 * @param settings SQL for connections whose state does not survive a transaction (a pooler in transaction mode). Each
 * statement then runs in its own transaction that starts with this SQL, and none is prepared.
 */
export function createPooledDriver(
  pool: pg.Pool,
  onStatement: StatementObserver = () => {},
  settings?: string,
): Driver {
  const clients = new WeakMap<DatabaseConnection, Connection>();
  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      const connection = new Connection(await pool.connect(), onStatement, settings);
      clients.set(connection, connection);
      return connection;
    },
    async releaseConnection(connection) {
      clients.get(connection)?.release();
    },
    async beginTransaction(connection) {
      clients.get(connection)?.begin();
    },
    async commitTransaction(connection) {
      await clients.get(connection)?.commit();
    },
    async rollbackTransaction(connection) {
      await clients.get(connection)?.rollback();
    },
    destroy: () => pool.end(),
  };
}

/** Marks a database that uses `createPooledDriver`. */
export class PooledAdapter extends PostgresAdapter {}

/** The queries to run instead of a placeholder query. */
const pipelinedQueries = new WeakMap<CompiledQuery, readonly CompiledQuery[]>();

/**
 * Runs independent queries of a transaction in this order in one round trip. Returns the rows of each query under the
 * given names. Throws the error of the first query that fails.
 */
export async function runPipelined<Queries extends Readonly<Record<string, readonly RawBuilder<unknown>[]>>>(
  tx: Tx,
  queries: Queries,
): Promise<{ [Name in keyof Queries]: RowsOf<Queries[Name]> }> {
  const rows = await runQueries(tx, Object.values(queries).flat());
  let next = 0;
  const named = Object.entries(queries).map(([name, { length }]) => [
    name,
    rows.slice(next, (next += length)),
  ]);
  return Object.fromEntries(named) as { [Name in keyof Queries]: RowsOf<Queries[Name]> };
}

/** The queries to send with the commit, and the callbacks for their rows. */
const commitQueries = new WeakMap<CompiledQuery, (rows: unknown[]) => void>();

/**
 * Runs the last query of a transaction, in one round trip with the commit. If another query follows, it runs before
 * that one. `take` receives the rows before the transaction resolves. If the query fails, the transaction fails.
 */
export async function runWithCommit<Row>(
  tx: Tx,
  query: RawBuilder<Row>,
  take: (rows: readonly Row[]) => void,
): Promise<void> {
  if (!(tx.getExecutor().adapter instanceof PooledAdapter)) {
    take((await query.execute(tx)).rows);
    return;
  }
  const compiled = query.compile(tx);
  commitQueries.set(compiled, take as (rows: unknown[]) => void);
  await tx.executeQuery(compiled);
}

type RowsOf<Queries> = Queries extends readonly RawBuilder<infer Row>[] ? Row[][] : never;

async function runQueries(tx: Tx, queries: readonly RawBuilder<unknown>[]): Promise<unknown[][]> {
  if (queries.length === 0) return [];
  if (!(tx.getExecutor().adapter instanceof PooledAdapter)) {
    const all = [];
    for (const query of queries) all.push((await query.execute(tx)).rows);
    return all;
  }
  const group = CompiledQuery.raw('');
  pipelinedQueries.set(
    group,
    queries.map((query) => query.compile(tx)),
  );
  return (await tx.executeQuery<unknown[]>(group)).rows;
}

/** Queries that may be sent before `begin` has succeeded, because alone they change nothing. */
const selectPattern = /^\s*select\b/iu;

/** Settings whose response is awaited with the next writing statement or the commit. */
const setLocalPattern = /^set local\b/iu;

class Connection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #onStatement: StatementObserver;
  readonly #settings: string | undefined;
  #isBroken = false;
  #inTransaction = false;
  /** The pending responses of `begin` and of statements that are needed only at the end. */
  #sent: Promise<unknown> | undefined;
  /** The query of `runWithCommit` that is not sent yet. */
  #last: CompiledQuery | undefined;

  constructor(client: pg.PoolClient, observe: StatementObserver, settings: string | undefined) {
    this.#client = client;
    this.#onStatement = observe;
    this.#settings = settings;
  }

  begin(): void {
    this.#inTransaction = true;
    this.#addPending(this.#sendBegin());
  }

  async commit(): Promise<void> {
    await this.#awaitPending();
    const start = performance.now();
    const { stream } = this.#client.connection;
    stream.cork();
    this.#sendLast();
    const committing = this.#client.query('commit');
    stream.uncork();
    const [, result] = await Promise.all([this.#awaitPending(), committing]);
    this.#inTransaction = false;
    this.#onStatement('commit', performance.now() - start);
    // PostgreSQL reports ROLLBACK for the commit of a failed transaction.
    if (result.command === 'ROLLBACK') throw new Error('The transaction had failed and was rolled back.');
  }

  async rollback(): Promise<void> {
    this.#inTransaction = false;
    this.#sent = undefined;
    this.#last = undefined;
    try {
      await this.#client.query('rollback');
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    while (this.#last !== undefined) {
      this.#sendLast();
      await this.#awaitPending();
    }
    if (commitQueries.has(query)) {
      this.#last = query;
      return { rows: [] };
    }
    if (this.#inTransaction && setLocalPattern.test(query.sql)) {
      this.#addPending(this.#client.query(query.sql));
      return { rows: [] };
    }
    const group = pipelinedQueries.get(query);
    if (group !== undefined) return { rows: (await this.#runAll(group)) as Row[] };
    if (!selectPattern.test(query.sql)) await this.#awaitPending();
    if (this.#settings !== undefined && !this.#inTransaction) return this.#runAlone<Row>(query);
    return this.#run<Row>(query);
  }

  streamQuery(): never {
    throw new Error('Streaming is not supported.');
  }

  #sendBegin(): Promise<unknown> {
    return this.#client.query(this.#settings === undefined ? 'begin' : `begin; ${this.#settings}`);
  }

  /** Runs the query in its own transaction, in one round trip. */
  async #runAlone<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { stream } = this.#client.connection;
    stream.cork();
    const sent = [this.#sendBegin(), this.#run<Row>(query), this.#client.query('commit')] as const;
    stream.uncork();
    const [begun, result, ended] = await Promise.allSettled(sent);
    if (begun.status === 'rejected') throw begun.reason;
    if (result.status === 'rejected') throw result.reason;
    if (ended.status === 'rejected') throw ended.reason;
    return result.value;
  }

  #sendLast(): void {
    const query = this.#last;
    if (query === undefined) return;
    this.#last = undefined;
    this.#addPending(this.#run(query).then(({ rows }) => commitQueries.get(query)?.(rows)));
  }

  #addPending(sent: Promise<unknown>): void {
    this.#sent = this.#sent === undefined ? sent : Promise.all([this.#sent, sent]);
    // Avoids an unhandled rejection. `#awaitPending` reports the error.
    this.#sent.catch(() => {});
  }

  async #awaitPending(): Promise<void> {
    if (this.#sent !== undefined) await this.#sent;
    this.#sent = undefined;
  }

  async #runAll(group: readonly CompiledQuery[]): Promise<unknown[][]> {
    if (!group.every((query) => selectPattern.test(query.sql))) await this.#awaitPending();
    const { stream } = this.#client.connection;
    // One write to the socket for all queries.
    stream.cork();
    const running = group.map((query) => this.#run(query));
    stream.uncork();
    const ended = await Promise.allSettled(running);
    return ended.map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value.rows;
    });
  }

  #statement(text: string, values: readonly unknown[]): pg.QueryConfig {
    return this.#settings === undefined ? toStatement(text, values) : { text, values: [...values] };
  }

  async #run<Row>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const start = performance.now();
    try {
      return resultOf<Row>(await this.#client.query(this.#statement(text, parameters)));
    } catch (error) {
      // An error ends the transaction. `transaction()` (database.ts) retries it as a whole.
      if (!forgetOutdatedPlan(error, text) || this.#inTransaction) throw error;
      return resultOf<Row>(await this.#client.query(toStatement(text, parameters)));
    } finally {
      this.#onStatement(text, performance.now() - start);
    }
  }
}

function resultOf<Row>({ command, rowCount, rows }: pg.QueryResult): QueryResult<Row> {
  const changes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
  return changes
    ? { numAffectedRows: BigInt(rowCount ?? 0), rows: rows as Row[] }
    : { rows: (rows ?? []) as Row[] };
}
