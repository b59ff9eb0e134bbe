import { invalidFieldError } from '#server/platform/errors.ts';
import type { SiteSettings } from '#server/platform/settings.ts';
import { accountMessages } from '#shared/accounts.ts';

/**
 * Refuses one of the 49,000 passwords that are guessed first, where the operator asks for it (COMMON_PASSWORDS): those of
 * zxcvbn-ts, which stand in the package, so that no password, nor anything made from one, is sent anywhere.
 * @throws ProblemError 'invalid' at `field`
 */
export async function refuseCommonPassword(
  { refusesCommonPasswords }: Pick<SiteSettings, 'refusesCommonPasswords'>,
  password: string,
  field: string,
): Promise<void> {
  if (!refusesCommonPasswords) return;
  commonPasswords ??= loadCommonPasswords();
  if ((await commonPasswords).has(password.normalize('NFKC').toLowerCase()))
    throw invalidFieldError(field, accountMessages.commonPassword);
}

let commonPasswords: Promise<ReadonlySet<string>> | undefined;

/** Two megabytes, which most communities never need. */
async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}
