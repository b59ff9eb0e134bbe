import { randomInt } from 'node:crypto';
import { type Database, transaction, type Tx } from '#server/platform/database.ts';
import { hashPassword, type PasswordCost, verifyPassword } from './password.ts';
import { deleteRecoveryCode, recoveryCodeAt, replaceRecoveryCodes } from './second-factor-queries.ts';
import { tellOfSecurityEvent } from './security-events.ts';

/** How many a member has, so that the place of each is one digit. */
const amount = 10;

/** No letters that are taken for others (Crockford's base32). */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Characters of a code behind its place: 45 bits, which a password hash stands before (ASVS 5.0, 6.5.2). */
const length = 9;

export type RecoveryCodes = { codes: string[]; hashes: string[] };

/** Ten codes such as '0k3mz-7q9ft', and what is kept of them. */
export async function makeRecoveryCodes(cost: PasswordCost): Promise<RecoveryCodes> {
  const plain = Array.from({ length: amount }, (_, place) => {
    const random = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
    return `${place}${random}`;
  });
  return {
    codes: plain.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`),
    hashes: await Promise.all(plain.map((code) => hashPassword(code, cost))),
  };
}

export async function keepRecoveryCodes(tx: Tx, memberId: number, { hashes }: RecoveryCodes): Promise<void> {
  await replaceRecoveryCodes(tx, memberId, hashes);
}

/** Takes a recovery code, however it is written. Returns false where it is none, or was taken before. */
export async function takeRecoveryCode(db: Database, memberId: number, written: string): Promise<boolean> {
  const code = written.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  if (!/^\d[0-9a-z]{9}$/.test(code)) return false;
  const place = Number(code[0]);
  const kept = await recoveryCodeAt(db, memberId, place);
  if (kept === undefined || !(await verifyPassword({ password: code, hash: kept.hash }))) return false;
  return transaction(db, async (tx) => {
    if (!(await deleteRecoveryCode(tx, { memberId, place, hash: kept.hash }))) return false;
    await tellOfSecurityEvent(tx, { memberId, event: 'recovery-code-used' });
    return true;
  });
}
