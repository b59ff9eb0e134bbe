import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type pg from 'pg';
import { isOutdated, statement } from './prepared.ts';

/** Told how long a statement took, in milliseconds. Its text has placeholders where values are. */
export type Ran = (statement: string, milliseconds: number) => void;

/** Runs queries on a pool, those that come again and again as prepared statements. */
export function pooledDriver(pool: pg.Pool, ran: Ran = () => {}): Driver {
  const clients = new WeakMap<DatabaseConnection, pg.PoolClient>();
  const broken = new WeakSet<DatabaseConnection>();
  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      const client = await pool.connect();
      const connection = connectionOn(client, ran);
      clients.set(connection, client);
      return connection;
    },
    async releaseConnection(connection) {
      clients.get(connection)?.release(broken.has(connection));
    },
    async beginTransaction(connection) {
      await clients.get(connection)?.query('begin');
    },
    async commitTransaction(connection) {
      const start = performance.now();
      const result = await clients.get(connection)?.query('commit');
      ran('commit', performance.now() - start);
      // So PostgreSQL ends a transaction in which a statement failed.
      if (result?.command === 'ROLLBACK') throw new Error('The transaction had failed and was rolled back.');
    },
    async rollbackTransaction(connection) {
      try {
        await clients.get(connection)?.query('rollback');
      } catch (error) {
        broken.add(connection);
        throw error;
      }
    },
    destroy: () => pool.end(),
  };
}

function connectionOn(client: pg.PoolClient, ran: Ran): DatabaseConnection {
  return {
    async executeQuery<Row>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const alone = client.getTransactionStatus() !== 'T';
      const start = performance.now();
      try {
        return resultOf<Row>(await client.query(statement(text, parameters)));
      } catch (error) {
        // A transaction is over with its first error, and is run again as a whole (database.ts).
        if (!isOutdated(error, text) || !alone) throw error;
        return resultOf<Row>(await client.query(statement(text, parameters)));
      } finally {
        ran(text, performance.now() - start);
      }
    },
    streamQuery() {
      throw new Error('Results come as a whole.');
    },
  };
}

function resultOf<Row>({ command, rowCount, rows }: pg.QueryResult): QueryResult<Row> {
  const changes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
  return changes
    ? { numAffectedRows: BigInt(rowCount ?? 0), rows: rows as Row[] }
    : { rows: (rows ?? []) as Row[] };
}
