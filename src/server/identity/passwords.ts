import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { invalidFieldError } from '#server/core/errors.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';

const derive = promisify(argon2);

/** The cost of checking one password: KiB of memory, and passes over it. */
export type PasswordCost = { memoryKib: number; passes: number };

/** OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, 2 passes, 1 lane. */
export const defaultPasswordCost: PasswordCost = { memoryKib: 19_456, passes: 2 };

/** Returns the hash to store, in the PHC string format of argon2id. */
export async function hashPassword(
  password: string,
  { memoryKib, passes } = defaultPasswordCost,
): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derive('argon2id', {
    message: password.normalize('NFKC'),
    nonce: salt,
    memory: memoryKib,
    passes,
    parallelism: 1,
    tagLength: 32,
  });
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${base64(salt)}$${base64(tag)}`;
}

/** Whether a password matches a stored hash; false for a hash that is not argon2id. */
export async function verifyPassword({
  password,
  hash,
}: {
  password: string;
  hash: string;
}): Promise<boolean> {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
  if (parts === null) return false;
  const [, memory, passes, parallelism, salt = '', tag = ''] = parts;
  const expected = Buffer.from(tag, 'base64');
  const actual = await derive('argon2id', {
    message: password.normalize('NFKC'),
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected);
}

/**
 * Whether a password matches the hash of an account. Takes as long without a hash, so that the time does not reveal
 * which addresses exist.
 */
export async function matchesPasswordHash(
  hash: string | null | undefined,
  password: string,
): Promise<boolean> {
  if (hash != null) return verifyPassword({ password, hash });
  await hashPassword(password);
  return false;
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/**
 * Refuses one of the 49,000 most common passwords if the operator enables it (COMMON_PASSWORDS). The list is part of
 * the package zxcvbn-ts, so nothing derived from a password is sent anywhere.
 * @throws ProblemError 'invalid' at `field`
 */
export async function refuseCommonPassword(
  { refusesCommonPasswords }: Pick<OperatorSettings, 'refusesCommonPasswords'>,
  password: string,
  field: string,
): Promise<void> {
  if (!refusesCommonPasswords) return;
  commonPasswords ??= loadCommonPasswords();
  if ((await commonPasswords).has(password.normalize('NFKC').toLowerCase()))
    throw invalidFieldError(field, 'password-too-common');
}

let commonPasswords: Promise<ReadonlySet<string>> | undefined;

/** Loaded on first use: two megabytes that most sites never need. */
async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}
