import type { Client } from 'pg';
import { createTerminalProgress, type Output, type Progress } from '#server/core/progress.ts';
import { runUntilInterrupted } from '#server/core/signals.ts';
import { formatNumber } from './stack-exchange-tally.ts';
import { ArchiveError, ConnectionLostError } from './stack-exchange-errors.ts';

/** Where a command writes, and how it ends. */
export type CommandOutput = {
  out: Output;
  err: Output;
  /** Sets the exit code: 1 for refused files, 130 for an interrupted command. */
  exitWith: (code: number) => unknown;
};

/** What commands of imports and conversions need. */
export type CommandParts = CommandOutput & {
  /** Opens the community's database and runs `work` with a dedicated connection. Imports apply pending migrations first. */
  withClient: <Result>(work: (client: Client) => Promise<Result>) => Promise<Result>;
};

type CommandSession = {
  signal: AbortSignal;
  /** Prints the result. */
  print: (lines: readonly string[]) => void;
  log: (message: string) => void;
  /** @param counted what the rows of the progress are, such as 'pictures'; default: rows of files, with the rate */
  createProgress: (counted?: string) => Progress;
};

/**
 * Runs a command that can be interrupted, and sets its exit code.
 * @param effect what the command did when it was refused or interrupted: 'Nothing was written.'
 * @param lost the same when the connection to the database broke
 * @param run can return an exit code
 */
export async function runCommand(
  { out, err, exitWith }: CommandOutput,
  {
    effect,
    lost = effect,
    run,
  }: { effect: string; lost?: string; run: (session: CommandSession) => Promise<number | void> },
): Promise<void> {
  const code = await runUntilInterrupted(err, {
    run: (signal) =>
      run({
        signal,
        print: (lines) => {
          out.write(lines.map((line) => `${line}\n`).join(''));
        },
        log: (message) => {
          err.write(`${message}\n`);
        },
        createProgress: (counted) =>
          createTerminalProgress(
            err,
            counted === undefined ? {} : { describe: (_, rows) => `${formatNumber(rows)} ${counted}` },
          ),
      }),
    interrupted: effect,
    describeError: (error) => {
      if (error instanceof ConnectionLostError) return `${error.message} ${lost}`;
      return error instanceof ArchiveError ? `${error.message} ${effect}`.trimEnd() : undefined;
    },
  });
  exitWith(code);
}

/** Runs an import of files and prints the lines that it returns. */
export function runImportCommand(
  parts: CommandParts,
  run: (
    session: Omit<CommandSession, 'print' | 'createProgress'> & { client: Client; progress: Progress },
  ) => Promise<string[]>,
): Promise<void> {
  return runCommand(parts, {
    effect: 'Nothing was imported.',
    lost: 'Import again: it adds everything, or reports that it was imported before.',
    run: async ({ print, createProgress, ...session }) =>
      print(await parts.withClient((client) => run({ client, progress: createProgress(), ...session }))),
  });
}
