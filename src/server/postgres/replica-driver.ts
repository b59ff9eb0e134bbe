import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type pg from 'pg';
import { type Database, type Reader, getSqlState } from '#server/core/database.ts';
import type { StatementObserver } from '#server/core/database-driver.ts';
import { forgetOutdatedPlan, toStatement } from '#server/core/database-prepared-statements.ts';
import type { DatabaseSchema } from '#server/core/database-schema.ts';

export type ReplicaReaderOptions = {
  replica: pg.Pool;
  primary: Database;
  /** Called when a query failed because of the state of the replica, not because of the query. */
  onBroken: (error: unknown) => void;
  onStatement?: StatementObserver | undefined;
  /** Errors that are not retried on the primary. Default: none. */
  shouldGiveUp?: (error: unknown) => boolean;
};

/**
 * Reads from a replica. A query that fails because of the replica (gone, restarting, cancelled by replay, too slow) is
 * retried once on the primary. Transactions are not supported, because a half-finished transaction cannot move to the
 * primary.
 */
export function createReplicaReader(options: ReplicaReaderOptions): Reader {
  return new Kysely<DatabaseSchema>({
    dialect: {
      createDriver: () => replicaDriver(options),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

function replicaDriver({
  replica,
  primary,
  onBroken,
  onStatement,
  shouldGiveUp,
}: ReplicaReaderOptions): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery) {
      const start = performance.now();
      try {
        const { rows } = await replica.query(toStatement(query.sql, query.parameters));
        onStatement?.(query.sql, performance.now() - start);
        return { rows: rows as Row[] };
      } catch (error) {
        if (forgetOutdatedPlan(error, query.sql)) return primary.executeQuery<Row>(query);
        if (isQueryError(error) || shouldGiveUp?.(error) === true) throw error;
        if (isReplicaFailure(error)) onBroken(error);
        return primary.executeQuery<Row>(query);
      }
    },
    streamQuery: throwUnsupported,
  };
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    releaseConnection: () => Promise.resolve(),
    beginTransaction: throwUnsupported,
    commitTransaction: throwUnsupported,
    rollbackTransaction: throwUnsupported,
    destroy: () => Promise.resolve(),
  };
}

function throwUnsupported(): never {
  throw new Error('Replicas do not support transactions or streaming.');
}

/** Errors that the primary would return as well: caused by the data, the query or missing rights. */
function isQueryError(error: unknown): boolean {
  return /^(0A|2[1-8]|42|44|P0)/.test(getSqlState(error) ?? '') && !isAccessDenied(error);
}

/** Whether the replica is unreachable or shutting down. A single slow or cancelled query does not count. */
function isReplicaFailure(error: unknown): boolean {
  const state = getSqlState(error);
  if (state !== undefined) return /^(08|57P0|58|XX)/.test(state) || isAccessDenied(error);
  // All connections of the pool are busy.
  return !(error instanceof Error && error.message === 'timeout exceeded when trying to connect');
}

/** The replica refuses the login or the access. */
const isAccessDenied = (error: unknown) => /^28|^42501$/.test(getSqlState(error) ?? '');
