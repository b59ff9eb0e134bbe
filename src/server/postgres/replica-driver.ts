import { CompiledQuery, Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { type Database, type Reader, getSqlState } from '#server/core/database.ts';
import { runStatement, type StatementOptions } from '#server/core/database-prepared-statements.ts';

export type ReplicaReaderOptions = {
  replica: pg.Pool;
  primary: Database;
  statements: StatementOptions;
  /** Called when a query failed because of the state of the replica, not because of the query. */
  onBroken: (error: unknown) => void;
  /** Errors that are not retried on the primary. Default: none. */
  shouldGiveUp?: (error: unknown) => boolean;
};

/**
 * Reads from a replica. A query that fails because of the replica (gone, restarting, cancelled by replay, too slow) is
 * retried once on the primary. Transactions are not supported, because a half-finished transaction cannot move to the
 * primary.
 */
export function createReplicaReader(options: ReplicaReaderOptions): Reader {
  const { replica, primary, statements, onBroken, shouldGiveUp } = options;
  const query = async (text: string, values: readonly unknown[]) => {
    try {
      return await runStatement(replica, { text, values }, statements);
    } catch (error) {
      if (isQueryError(error) || shouldGiveUp?.(error) === true) throw error;
      if (isReplicaFailure(error)) onBroken(error);
      return primary.executeQuery(CompiledQuery.raw(text, [...values]));
    }
  };
  const client = { query, release: () => {} } as unknown as PostgresPoolClient;
  const pool = { options: {}, connect: async () => client, end: async () => {} };
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
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
