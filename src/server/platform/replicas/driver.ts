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
import { type Database, type Reader, sqlState } from '#server/platform/database.ts';
import type { Ran } from '#server/platform/driver.ts';
import { isOutdated, statement } from '#server/platform/prepared.ts';
import type { Tables } from '#server/platform/tables.ts';

export type ReadingOptions = {
  replica: pg.Pool;
  primary: Database;
  /** Called when a query failed because of the replica's state rather than its own. */
  onBroken: (error: unknown) => void;
  ran?: Ran | undefined;
  /** Errors after which the primary is not asked; none where absent. */
  givesUp?: (error: unknown) => boolean;
};

/**
 * Reads from a replica. A query that fails for a reason of the replica's (gone, restarting, cancelled for the sake of
 * replaying, too slow) is run once more, on the primary. There are no transactions: half of one cannot move.
 */
export function readFrom(options: ReadingOptions): Reader {
  return new Kysely<Tables>({
    dialect: {
      createDriver: () => replicaDriver(options),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

function replicaDriver({ replica, primary, onBroken, ran, givesUp }: ReadingOptions): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery) {
      const start = performance.now();
      try {
        const { rows } = await replica.query(statement(query.sql, query.parameters));
        ran?.(query.sql, performance.now() - start);
        return { rows: rows as Row[] };
      } catch (error) {
        if (isOutdated(error, query.sql)) return primary.executeQuery<Row>(query);
        if (isOwnFault(error) || givesUp?.(error) === true) throw error;
        if (isBroken(error)) onBroken(error);
        return primary.executeQuery<Row>(query);
      }
    },
    streamQuery: refuse,
  };
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    releaseConnection: () => Promise.resolve(),
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: () => Promise.resolve(),
  };
}

function refuse(): never {
  throw new Error('A replica is only read from, one query at a time.');
}

/** Errors that the primary would answer with as well: in the data, the query, or what it wants to do. */
function isOwnFault(error: unknown): boolean {
  return /^(0A|2[1-8]|42|44|P0)/.test(sqlState(error) ?? '') && !isRefused(error);
}

/** Whether the replica cannot be reached or is about to end; that one query was too slow or in the way is no sign of it. */
function isBroken(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(08|57P0|58|XX)/.test(state) || isRefused(error);
  // All of its connections are busy.
  return !(error instanceof Error && error.message === 'timeout exceeded when trying to connect');
}

/** It does not let Parley in. */
const isRefused = (error: unknown) => /^28|^42501$/.test(sqlState(error) ?? '');
