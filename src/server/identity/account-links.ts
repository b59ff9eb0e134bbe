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
  reset: 60 * 60 * 1_000,
  address: 24 * 60 * 60 * 1_000,
  return: 7 * 24 * 60 * 60 * 1_000,
};

/** A link that works once. Returns its token, which is nowhere but in what is made of it: only its hash is stored. */
export async function createLink(tx: Tx, link: StoredLink): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await insertLink(tx, { ...link, hash: hashToken(token) });
  return token;
}

/**
 * Notes that an address stands for something, before the mail with the link is written: who leaves the page, changes
 * their mind or takes a password back ends it by ending the note.
 */
export async function insertPendingEmail(tx: Tx, link: StoredLink & { address: string }): Promise<void> {
  // The hash of nothing that anybody knows.
  await insertLink(tx, { ...link, hash: randomBytes(32) });
}

/** Uses a link up. @throws ProblemError 'gone' for one that is used, too old or not ours. */
export async function consumeLink(
  tx: Tx,
  { token, purpose }: { token: string; purpose: LinkPurpose },
): Promise<StoredLink> {
  const link = await deleteLink(tx, { hash: hashToken(token), purpose });
  if (link === undefined) throw createInvalidLinkError();
  return link;
}

/** Before work is done for it. @throws ProblemError 'gone' */
export async function requireLink(
  db: Queryable,
  { token, purpose }: { token: string; purpose: LinkPurpose },
): Promise<void> {
  if (!(await hasLink(db, { hash: hashToken(token), purpose }))) throw createInvalidLinkError();
}

export const createInvalidLinkError = () =>
  new ProblemError('gone', 'This link does not work any more. It works once, and for some time.');

const hashToken = (token: string) => createHash('sha256').update(token).digest();
