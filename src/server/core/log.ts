import os from 'node:os';
import pg from 'pg';
import { pino, type Logger, type LoggerOptions } from 'pino';
import { getRequestId } from './request-id.ts';

/** Makes lines readable in a terminal; not loaded elsewhere. */
const pretty = process.stdout.isTTY ? (await import('pino-pretty')).default : undefined;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Logs readable lines in a terminal and JSON otherwise, to standard output. Every line of a request has its id. No line
 * identifies a member or repeats a member's text.
 * @param node the name of this node
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
  if (pretty === undefined) return pino(options);
  // In this process instead of a worker, so that the last line before an exit is not lost.
  return pino(options, pretty({ ignore: 'pid,node', translateTime: 'SYS:HH:MM:ss', sync: true }));
}

/** The logged form of an error. */
type LoggedError = {
  type: string;
  message: string;
  stack: string;
  code?: string;
  /** For database errors: identifiers of this project, without values. */
  table?: string;
  column?: string;
  constraint?: string;
  cause?: LoggedError;
};

/**
 * Removes member data from an error. PostgreSQL repeats values in details and in the messages of invalid data (SQLSTATE
 * 22…), JSON.parse repeats the text, and mail servers repeat addresses.
 */
export function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'a thrown value that is not an Error', stack: '' };
  const message = redactMessage(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    type: error.name,
    message,
    // The first lines of the stack repeat the message.
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
    return 'invalid data (omitted from the log)';
  if (error instanceof SyntaxError) return 'invalid text (omitted from the log)';
  return error.message.replaceAll(/[^\s<>"'(),;:]+@[^\s<>"'(),;]+/g, '(an address)');
}

function databaseNames({ table, column, constraint }: pg.DatabaseError) {
  return {
    ...(table !== undefined && { table }),
    ...(column !== undefined && { column }),
    ...(constraint !== undefined && { constraint }),
  };
}
