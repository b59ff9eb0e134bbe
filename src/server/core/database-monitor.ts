import type pg from 'pg';
import type { Logger } from 'pino';
import { truncateWithEllipsis } from '#shared/core/text.ts';
import type { DatabaseOptions } from './database.ts';

/** How a node uses its connections to the database. */
export type DatabaseMonitor = Required<DatabaseOptions>['monitor'] & {
  connections: () => { inUse: number; idle: number; maxConnections: number; waiting: number };
  /** Statements that took long, since the start. */
  countSlowStatements: () => number;
};

/** Characters of a statement that the log shows at most. */
const maxLoggedLength = 2_000;

/**
 * Watches a node's connections, and logs each statement that takes long: its text with $1 where values are, never the
 * values.
 * @param slowFrom milliseconds from which on a statement is slow; 0: none is
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
