import { createLink } from '#server/identity/account-links.ts';
import { type Database, transaction } from '#server/core/database.ts';

export type EmailLinkPurpose = Parameters<typeof createLink>[1]['purpose'];

let linkCount = 0;

/** Creates the token of an email link, for an unused address. */
export function createLinkToken(
  db: Database,
  { memberId, purpose }: { memberId: number; purpose: EmailLinkPurpose },
): Promise<string> {
  const expiresAt = new Date(Date.now() + 60_000);
  const address = `linked${++linkCount}@example.org`;
  return transaction(db, (tx) => createLink(tx, { memberId, purpose, address, expiresAt }));
}
