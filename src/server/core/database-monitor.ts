import type pg from 'pg';
import type { Logger } from 'pino';
import { truncateWithEllipsis } from '#shared/core/text.ts';
import type { DatabaseOptions } from './database.ts';

/** Statistics about the database connections of a node. */
export type DatabaseMonitor = Required<DatabaseOptions>['monitor'] & {
  connections: () => { inUse: number; idle: number; maxConnections: number; waiting: number };
  /** The number of slow statements since the start. */
  countSlowStatements: () => number;
};

/** The maximum length of a logged statement, in characters. */
const maxLoggedLength = 2_000;

/**
 * Monitors the connections of a node and logs slow statements, with placeholders instead of values.
 * @param slowQueryMs the duration from which a statement is slow, in milliseconds; 0: never
 */
export function monitorDatabase({ log, slowQueryMs }: { log: Logger; slowQueryMs: number }): DatabaseMonitor {
  let pool: pg.Pool | undefined;
  let slow = 0;
  return {
    onOpen: (opened) => (pool = opened),
    onStatement(statement, milliseconds) {
      if (slowQueryMs === 0 || milliseconds < slowQueryMs) return;
      slow++;
      const text = truncateWithEllipsis(statement.replaceAll(/\s+/g, ' ').trim(), maxLoggedLength);
      log.warn({ statement: text, milliseconds: Math.round(milliseconds) }, 'slow query');
    },
    connections() {
      if (pool === undefined) return { inUse: 0, idle: 0, maxConnections: 0, waiting: 0 };
      const { totalCount, idleCount, waitingCount, options } = pool;
      return {
        inUse: totalCount - idleCount,
        idle: idleCount,
        maxConnections: options.max,
        waiting: waitingCount,
      };
    },
    countSlowStatements: () => slow,
  };
}
