import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Lines for people in a terminal, JSON otherwise; on the standard output. */
export function createLog(level: LogLevel): Logger {
  if (!process.stdout.isTTY) return pino({ level });
  // In this process, not in a worker: the last line before an exit must not get lost.
  return pino({ level }, pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss', sync: true }));
}
