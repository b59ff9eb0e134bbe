import os from 'node:os';
import pg from 'pg';
import { pino, type Logger, type LoggerOptions } from 'pino';
import pretty from 'pino-pretty';
import { getRequestId } from './request-id.ts';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Lines for people in a terminal, JSON otherwise; on the standard output. Every line of a request names its id, and none
 * says who a member is or what they wrote.
 * @param node what this Parley is called among others
 */
export function createLogger(level: LogLevel, node = os.hostname()): Logger {
  const options: LoggerOptions = {
    level,
    base: { pid: process.pid, node },
    mixin() {
      const id = getRequestId();
      return id === undefined ? {} : { requestId: id };
    },
    serializers: { err: describeError },
  };
  if (!process.stdout.isTTY) return pino(options);
  // In this process, not in a worker: the last line before an exit must not get lost.
  return pino(options, pretty({ ignore: 'pid,node', translateTime: 'SYS:HH:MM:ss', sync: true }));
}

/** An error as the log shows it. */
type LoggedError = {
  type: string;
  message: string;
  stack: string;
  code?: string;
  /** Of a database error: names of this project, and no values. */
  table?: string;
  column?: string;
  constraint?: string;
  cause?: LoggedError;
};

/**
 * What an operator needs of an error, and nothing that a member wrote: PostgreSQL repeats values in details, and in the
 * messages of data that does not fit (SQLSTATE 22…), JSON.parse repeats the text, mail servers repeat addresses.
 */
export function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'something that is no error', stack: '' };
  const message = redactMessage(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    type: error.name,
    message,
    // The first lines repeat the message.
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^ {4}at /.test(line))
      .join('\n'),
    ...(code !== undefined && { code }),
    ...(error instanceof pg.DatabaseError && databaseNames(error)),
    ...(error.cause !== undefined && depth < 3 && { cause: describeError(error.cause, depth + 1) }),
  };
}

function redactMessage(error: Error): string {
  if (error instanceof pg.DatabaseError && error.code?.startsWith('22') === true)
    return 'data that does not fit (the message would repeat it)';
  if (error instanceof SyntaxError) return 'text that cannot be read (the message would repeat it)';
  return error.message.replaceAll(/[^\s<>"'(),;:]+@[^\s<>"'(),;]+/g, '(an address)');
}

function databaseNames({ table, column, constraint }: pg.DatabaseError) {
  return {
    ...(table !== undefined && { table }),
    ...(column !== undefined && { column }),
    ...(constraint !== undefined && { constraint }),
  };
}
