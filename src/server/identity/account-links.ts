import { createHash, randomBytes } from 'node:crypto';
import type { Queryable, Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import {
  deleteLink,
  insertLink,
  hasLink,
  type LinkPurpose,
  type StoredLink,
} from './account-links-queries.ts';

/** Milliseconds for which each kind of link works. */
export const linkLifetimesMs: Readonly<Record<LinkPurpose, number>> = {
  reset_password: 60 * 60 * 1_000,
  change_email: 24 * 60 * 60 * 1_000,
  revert_email: 7 * 24 * 60 * 60 * 1_000,
};

/** Creates a link that works once. Returns its token, which is not stored: the database has its hash. */
export async function createLink(tx: Tx, link: StoredLink): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await insertLink(tx, { ...link, hash: hashToken(token) });
  return token;
}

/**
 * Stores a pending change before the email with the link is written. Deleting the row cancels the change: when the
 * member deletes the account, changes the address again or resets the password.
 */
export async function insertPendingEmail(
  tx: Tx,
  link: StoredLink & { address: string; reservesEmail?: boolean },
): Promise<void> {
  // A hash that no token matches.
  await insertLink(tx, { ...link, hash: randomBytes(32) });
}

/**
 * Uses a link.
 * @throws ProblemError 'gone' if it is used, expired or unknown.
 */
export async function consumeLink(
  tx: Tx,
  { token, purpose }: { token: string; purpose: LinkPurpose },
): Promise<StoredLink> {
  const link = await deleteLink(tx, { hash: hashToken(token), purpose });
  if (link === undefined) throw createInvalidLinkError();
  return link;
}

/**
 * Checks a link before expensive work.
 * @throws ProblemError 'gone'
 */
export async function requireLink(
  db: Queryable,
  { token, purpose }: { token: string; purpose: LinkPurpose },
): Promise<void> {
  if (!(await hasLink(db, { hash: hashToken(token), purpose }))) throw createInvalidLinkError();
}

export const createInvalidLinkError = () => new ProblemError('link-expired');

/** What is stored of the token of a link. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest();
