import type pg from 'pg';
import type { Logger } from 'pino';
import { shortened } from '#shared/text.ts';
import type { DatabaseOptions } from './database.ts';

/** How a node uses its connections to the database. */
export type DatabaseWatch = Required<DatabaseOptions>['watch'] & {
  connections: () => { inUse: number; idle: number; most: number; waiting: number };
  /** Statements that took long, since the start. */
  slow: () => number;
};

/** Characters of a statement that the log shows at most. */
const shown = 2_000;

/**
 * Watches a node's connections, and logs each statement that takes long: its text with $1 where values are, never the
 * values.
 * @param slowFrom milliseconds from which on a statement is slow; 0: none is
 */
export function watchDatabase({ log, slowFrom }: { log: Logger; slowFrom: number }): DatabaseWatch {
  let pool: pg.Pool | undefined;
  let slow = 0;
  return {
    opened: (opened) => (pool = opened),
    ran(statement, milliseconds) {
      if (slowFrom === 0 || milliseconds < slowFrom) return;
      slow++;
      const text = shortened(statement.replaceAll(/\s+/g, ' ').trim(), shown);
      log.warn({ statement: text, milliseconds: Math.round(milliseconds) }, 'slow query');
    },
    connections() {
      if (pool === undefined) return { inUse: 0, idle: 0, most: 0, waiting: 0 };
      const { totalCount, idleCount, waitingCount, options } = pool;
      return { inUse: totalCount - idleCount, idle: idleCount, most: options.max, waiting: waitingCount };
    },
    slow: () => slow,
  };
}
