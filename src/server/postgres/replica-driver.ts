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
  /** Called when a query failed because of the replica's state rather than its own. */
  onBroken: (error: unknown) => void;
  onStatement?: StatementObserver | undefined;
  /** Errors after which the primary is not asked; none where absent. */
  shouldGiveUp?: (error: unknown) => boolean;
};

/**
 * Reads from a replica. A query that fails for a reason of the replica's (gone, restarting, cancelled for the sake of
 * replaying, too slow) is run once more, on the primary. There are no transactions: half of one cannot move.
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
  throw new Error('A replica is only read from, one query at a time.');
}

/** Errors that the primary would answer with as well: in the data, the query, or what it wants to do. */
function isQueryError(error: unknown): boolean {
  return /^(0A|2[1-8]|42|44|P0)/.test(getSqlState(error) ?? '') && !isAccessDenied(error);
}

/** Whether the replica cannot be reached or is about to end; that one query was too slow or in the way is no sign of it. */
function isReplicaFailure(error: unknown): boolean {
  const state = getSqlState(error);
  if (state !== undefined) return /^(08|57P0|58|XX)/.test(state) || isAccessDenied(error);
  // All of its connections are busy.
  return !(error instanceof Error && error.message === 'timeout exceeded when trying to connect');
}

/** It does not let Parley in. */
const isAccessDenied = (error: unknown) => /^28|^42501$/.test(getSqlState(error) ?? '');
