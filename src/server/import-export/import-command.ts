import type { Client } from 'pg';
import { createTerminalProgress, type Output, type Progress } from '#server/core/progress.ts';
import { runUntilInterrupted } from '#server/core/signals.ts';
import { ArchiveError, ConnectionLostError } from './stack-exchange-errors.ts';

/** What commands of imports and conversions need. */
export type CommandParts = {
  /** Opens the community's database and runs `work` with a dedicated connection. Imports apply pending migrations first. */
  withClient: <Result>(work: (client: Client) => Promise<Result>) => Promise<Result>;
  out: Output;
  err: Output;
  /** Sets the exit code: 1 for refused files, 130 for an interrupted command. */
  exitWith: (code: number) => unknown;
};

type ImportParts = {
  client: Client;
  progress: Progress;
  log: (message: string) => void;
  signal: AbortSignal;
};

/** Runs an import, prints the lines that it returns, and sets the exit code. */
export async function runImportCommand(
  { withClient, out, err, exitWith }: CommandParts,
  run: (parts: ImportParts) => Promise<string[]>,
): Promise<void> {
  const code = await runUntilInterrupted(err, {
    async run(signal) {
      const log = (message: string) => err.write(`${message}\n`);
      const lines = await withClient((client) =>
        run({ client, progress: createTerminalProgress(err), log, signal }),
      );
      for (const line of lines) out.write(`${line}\n`);
    },
    interrupted: 'Nothing was imported.',
    describeError: (error) =>
      error instanceof ConnectionLostError
        ? `${error.message} Import again: it adds everything, or reports that it was imported before.`
        : describeArchiveError(error, 'Nothing was imported.'),
  });
  exitWith(code);
}

/**
 * The message for files that were refused; undefined for other errors.
 * @param effect what the command did: 'Nothing was written.'
 */
export function describeArchiveError(error: unknown, effect: string): string | undefined {
  const isExpected = error instanceof ArchiveError || error instanceof ConnectionLostError;
  return isExpected ? `${error.message} ${effect}` : undefined;
}
