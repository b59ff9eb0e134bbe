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

/** Told how long a statement took, in milliseconds. Its text has placeholders where values are. */
export type StatementObserver = (statement: string, milliseconds: number) => void;

/**
 * Runs queries on a pool, those that come again and again as prepared statements. Where its clients pipeline (`pg`),
 * `inOneGo` does, and nobody waits for a transaction to begin.
 * @param settings SQL for connections that keep nothing from one transaction to the next: each statement then runs in a
 * transaction that begins with it, and none is prepared.
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

/** Tells that `pooledDriver` is below. */
export class PooledAdapter extends PostgresAdapter {}

/** The queries that are run in place of one that stands for them. */
const pipelinedQueries = new WeakMap<CompiledQuery, readonly CompiledQuery[]>();

/**
 * Runs queries of a transaction in this order, of which none needs what another one returns: they are sent together, and
 * waited for once. Returns the rows of each, under the names given. Throws what the first one that fails throws.
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

/** The queries that go with the commit, and who takes their rows. */
const commitQueries = new WeakMap<CompiledQuery, (rows: unknown[]) => void>();

/**
 * Runs the last query of a transaction: it is sent together with the commit, or before what comes nevertheless. `take`
 * gets its rows before whoever waits for the transaction goes on. What the query throws, the transaction throws.
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

/** What may be sent before it is known that the transaction began: alone it would change nothing that lasts. */
const selectPattern = /^\s*select\b/iu;

/** What is waited for with the next statement that writes, or the commit. */
const setLocalPattern = /^set local\b/iu;

class Connection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #ran: StatementObserver;
  readonly #settings: string | undefined;
  #isBroken = false;
  #inTransaction = false;
  /** Sent, but not answered yet: how the transaction begins, and what is needed no sooner than its end. */
  #sent: Promise<unknown> | undefined;
  /** Not sent yet. */
  #last: CompiledQuery | undefined;

  constructor(client: pg.PoolClient, ran: StatementObserver, settings: string | undefined) {
    this.#client = client;
    this.#ran = ran;
    this.#settings = settings;
  }

  begin(): void {
    this.#inTransaction = true;
    this.#waitLater(this.#sendBegin());
  }

  async commit(): Promise<void> {
    await this.#answered();
    const start = performance.now();
    const { stream } = this.#client.connection;
    stream.cork();
    this.#sendLast();
    const committing = this.#client.query('commit');
    stream.uncork();
    const [, result] = await Promise.all([this.#answered(), committing]);
    this.#inTransaction = false;
    this.#ran('commit', performance.now() - start);
    // So PostgreSQL ends a transaction in which a statement failed.
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
      await this.#answered();
    }
    if (commitQueries.has(query)) {
      this.#last = query;
      return { rows: [] };
    }
    if (this.#inTransaction && setLocalPattern.test(query.sql)) {
      this.#waitLater(this.#client.query(query.sql));
      return { rows: [] };
    }
    const group = pipelinedQueries.get(query);
    if (group !== undefined) return { rows: (await this.#runAll(group)) as Row[] };
    if (!selectPattern.test(query.sql)) await this.#answered();
    if (this.#settings !== undefined && !this.#inTransaction) return this.#runAlone<Row>(query);
    return this.#run<Row>(query);
  }

  streamQuery(): never {
    throw new Error('Results come as a whole.');
  }

  #sendBegin(): Promise<unknown> {
    return this.#client.query(this.#settings === undefined ? 'begin' : `begin; ${this.#settings}`);
  }

  /** In a transaction of its own; all of it is sent together. */
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
    this.#waitLater(this.#run(query).then(({ rows }) => commitQueries.get(query)?.(rows)));
  }

  #waitLater(sent: Promise<unknown>): void {
    this.#sent = this.#sent === undefined ? sent : Promise.all([this.#sent, sent]);
    // Whoever waits for it is told.
    this.#sent.catch(() => {});
  }

  async #answered(): Promise<void> {
    if (this.#sent !== undefined) await this.#sent;
    this.#sent = undefined;
  }

  async #runAll(group: readonly CompiledQuery[]): Promise<unknown[][]> {
    if (!group.every((query) => selectPattern.test(query.sql))) await this.#answered();
    const { stream } = this.#client.connection;
    // One write to the socket for all.
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
      // A transaction is over with its first error, and is run again as a whole (database.ts).
      if (!forgetOutdatedPlan(error, text) || this.#inTransaction) throw error;
      return resultOf<Row>(await this.#client.query(toStatement(text, parameters)));
    } finally {
      this.#ran(text, performance.now() - start);
    }
  }
}

function resultOf<Row>({ command, rowCount, rows }: pg.QueryResult): QueryResult<Row> {
  const changes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
  return changes
    ? { numAffectedRows: BigInt(rowCount ?? 0), rows: rows as Row[] }
    : { rows: (rows ?? []) as Row[] };
}
