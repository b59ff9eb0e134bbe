import { MigrationError } from '#server/postgres/migrations.ts';
import { getErrorCode, getErrorMessage } from '#server/core/startup-error.ts';
import { NoCommunityError } from './backup.ts';
import { DamagedBackupError } from './backup-file.ts';
import { DatabaseNotEmptyError } from './backup-restore.ts';

/** What keeps a command from its work, in a sentence. */
export class CommandRefusedError extends Error {}

/** What an operator is told of an error; undefined for what nobody foresaw. */
export function describeBackupError(error: unknown): string | undefined {
  if (error instanceof DamagedBackupError) return `The backup cannot be used. ${error.message}`;
  if (error instanceof CommandRefusedError || error instanceof NoCommunityError) return error.message;
  if (error instanceof DatabaseNotEmptyError) return `${error.message} Nothing was changed.`;
  if (error instanceof MigrationError) return `${error.message} Nothing was changed.`;
  const code = getErrorCode(error);
  if (code === 'ENOSPC') return 'The disk is full.';
  if (code === 'EEXIST') return 'Another backup is writing that file, or was killed: its .partial is there.';
  if (code === 'ENOENT') return 'There is no such file or folder.';
  if (code !== undefined && /^(E[A-Z]+)$/.test(code)) return `It failed: ${getErrorMessage(error)}.`;
  return undefined;
}
