import { randomInt } from 'node:crypto';
import { type Database, transaction } from '#server/core/database.ts';
import { hashPassword, type PasswordCost, verifyPassword } from './passwords.ts';
import { deleteRecoveryCode, findRecoveryCode } from './two-factor-queries.ts';
import { recordSecurityEvent } from './security-events.ts';

/** Codes per member. At ten, the position of each is one digit. */
const codeCount = 10;

/** Without letters that are mistaken for others (Crockford's base32). */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Characters of a code after its position: 45 bits, which is enough behind a password hash (ASVS 5.0, 6.5.2). */
const codeLength = 9;

export type RecoveryCodes = { codes: string[]; hashes: string[] };

/** Creates ten codes such as '0k3mz-7q9ft', and the hashes to store. */
export async function createRecoveryCodes(cost: PasswordCost): Promise<RecoveryCodes> {
  const plain = Array.from({ length: codeCount }, (_, index) => {
    const random = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('');
    return `${index}${random}`;
  });
  return {
    codes: plain.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`),
    hashes: await Promise.all(plain.map((code) => hashPassword(code, cost))),
  };
}

/** Uses a recovery code in any notation. Returns false if it is invalid or used. */
export async function consumeRecoveryCode(db: Database, memberId: number, input: string): Promise<boolean> {
  const code = input.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  if (!/^\d[0-9a-z]{9}$/.test(code)) return false;
  const position = Number(code[0]);
  const stored = await findRecoveryCode(db, memberId, position);
  if (stored === undefined || !(await verifyPassword({ password: code, hash: stored.hash }))) return false;
  return transaction(db, async (tx) => {
    if (!(await deleteRecoveryCode(tx, { memberId, index: position, hash: stored.hash }))) return false;
    await recordSecurityEvent(tx, { memberId, event: 'recovery-code-used' });
    return true;
  });
}
