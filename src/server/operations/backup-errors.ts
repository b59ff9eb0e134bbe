import { MigrationError } from '#server/postgres/index.ts';
import { getErrorCode, getErrorMessage } from '#server/core/startup-error.ts';
import { NoCommunityError } from './backup.ts';
import { DamagedBackupError } from './backup-file.ts';
import { DatabaseNotEmptyError } from './backup-restore.ts';
import { ScratchFullError } from './backup-verify.ts';

/** The reason why a command is refused, as a sentence. */
export class CommandRefusedError extends Error {}

/** Returns the message for the operator; undefined for an unexpected error. */
export function describeBackupError(error: unknown): string | undefined {
  if (error instanceof DamagedBackupError) return `The backup cannot be used. ${error.message}`;
  if (error instanceof CommandRefusedError || error instanceof NoCommunityError) return error.message;
  if (error instanceof DatabaseNotEmptyError) return `${error.message} Nothing was changed.`;
  if (error instanceof MigrationError) return `${error.message} Nothing was changed.`;
  if (error instanceof ScratchFullError) return error.message;
  const code = getErrorCode(error);
  // Of this process, and of PostgreSQL (disk_full).
  if (code === 'ENOSPC' || code === '53100') return 'The disk is full. Nothing was changed.';
  if (code === 'ECONNRESET' || getErrorMessage(error) === 'Connection terminated unexpectedly')
    // A restore may be committed: only its response is missing then.
    return 'The connection to PostgreSQL was lost. Its log has the reason; its disk may be full. After a restore, check whether the database is empty.';
  if (code === 'EEXIST')
    return 'Another backup is writing that file, or was killed: its .partial file exists.';
  if (code === 'ENOENT') return 'The file or directory does not exist.';
  if (code !== undefined && /^(E[A-Z]+)$/.test(code)) return `The command failed: ${getErrorMessage(error)}.`;
  return undefined;
}
