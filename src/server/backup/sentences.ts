import { MigrationError } from '#server/platform/migrations.ts';
import { errorCode, messageOf } from '#server/platform/startup-error.ts';
import { NoCommunity } from './backup.ts';
import { DamagedBackup } from './file.ts';
import { NotEmpty } from './restore.ts';

/** What keeps a command from its work, in a sentence. */
export class Refused extends Error {}

/** What an operator is told of an error; undefined for what nobody foresaw. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof DamagedBackup) return `The backup cannot be used. ${error.message}`;
  if (error instanceof Refused || error instanceof NoCommunity) return error.message;
  if (error instanceof NotEmpty) return `${error.message} Nothing was changed.`;
  if (error instanceof MigrationError) return `${error.message} Nothing was changed.`;
  const code = errorCode(error);
  if (code === 'ENOSPC') return 'The disk is full.';
  if (code === 'EEXIST') return 'Another backup is writing that file, or was killed: its .partial is there.';
  if (code === 'ENOENT') return 'There is no such file or folder.';
  if (code !== undefined && /^(E[A-Z]+)$/.test(code)) return `It failed: ${messageOf(error)}.`;
  return undefined;
}
