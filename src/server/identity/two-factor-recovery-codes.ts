import { randomInt } from 'node:crypto';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { hashPassword, type PasswordCost, verifyPassword } from './passwords.ts';
import { deleteRecoveryCode, findRecoveryCode, replaceRecoveryCodes } from './two-factor-queries.ts';
import { recordSecurityEvent } from './security-events.ts';

/** How many a member has, so that the place of each is one digit. */
const codeCount = 10;

/** No letters that are taken for others (Crockford's base32). */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Characters of a code behind its place: 45 bits, which a password hash stands before (ASVS 5.0, 6.5.2). */
const codeLength = 9;

export type RecoveryCodes = { codes: string[]; hashes: string[] };

/** Ten codes such as '0k3mz-7q9ft', and what is kept of them. */
export async function createRecoveryCodes(cost: PasswordCost): Promise<RecoveryCodes> {
  const plain = Array.from({ length: codeCount }, (_, place) => {
    const random = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('');
    return `${place}${random}`;
  });
  return {
    codes: plain.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`),
    hashes: await Promise.all(plain.map((code) => hashPassword(code, cost))),
  };
}

export async function storeRecoveryCodes(tx: Tx, memberId: number, { hashes }: RecoveryCodes): Promise<void> {
  await replaceRecoveryCodes(tx, memberId, hashes);
}

/** Takes a recovery code, however it is written. Returns false where it is none, or was taken before. */
export async function consumeRecoveryCode(db: Database, memberId: number, input: string): Promise<boolean> {
  const code = input.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  if (!/^\d[0-9a-z]{9}$/.test(code)) return false;
  const position = Number(code[0]);
  const stored = await findRecoveryCode(db, memberId, position);
  if (stored === undefined || !(await verifyPassword({ password: code, hash: stored.hash }))) return false;
  return transaction(db, async (tx) => {
    if (!(await deleteRecoveryCode(tx, { memberId, place: position, hash: stored.hash }))) return false;
    await recordSecurityEvent(tx, { memberId, event: 'recovery-code-used' });
    return true;
  });
}
