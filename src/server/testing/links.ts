import { makeLink } from '#server/accounts/links.ts';
import { type Database, transaction } from '#server/platform/database.ts';

export type LinkPurpose = Parameters<typeof makeLink>[1]['purpose'];

let made = 0;

/** The token of a link as a mail holds it, with an address that nobody has. */
export function linkToken(
  db: Database,
  { memberId, purpose }: { memberId: number; purpose: LinkPurpose },
): Promise<string> {
  const expiresAt = new Date(Date.now() + 60_000);
  const address = `linked${++made}@example.org`;
  return transaction(db, (tx) => makeLink(tx, { memberId, purpose, address, expiresAt }));
}
