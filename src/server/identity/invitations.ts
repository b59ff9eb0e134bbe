import { randomBytes } from 'node:crypto';
import { pageById } from '#server/core/cursor.ts';
import { databaseNowMs } from '#server/core/database-clock.ts';
import type { Database, Queryable, Reader } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import type { ErrorCode } from '#shared/errors.ts';
import {
  type Invitation,
  type InvitationDraft,
  invitationLimits,
  type InvitationState,
  type OpenInvitation,
} from '#shared/identity/invitations.ts';
import { hashToken } from './account-links.ts';
import {
  findInvitation,
  hasInvitation,
  insertInvitation,
  listInvitations,
  markRevoked,
  takeUse,
} from './invitations-queries.ts';

/** Invitations per page, and members listed with each. */
const pageSizes = { invitations: 20, members: 50 } as const;

const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Makes a link. Returns its token, of which only the hash is stored.
 * @throws ProblemError 'invalid' for an end in the past or more than a year away
 */
export async function createInvitation(
  db: Database,
  { createdBy, draft }: { createdBy: number; draft: InvitationDraft },
): Promise<{ id: number; token: string }> {
  const expiresAt = new Date(draft.expiresAt);
  const remainingMs = expiresAt.getTime() - databaseNowMs();
  const { days } = invitationLimits;
  // A day more, because the browser sends the end of a day in its time zone.
  if (remainingMs <= 0 || remainingMs > (days + 1) * dayMs)
    throw invalidFieldError('expiresAt', 'invitation-end-not-valid', { days });
  const token = randomBytes(32).toString('base64url');
  const id = await insertInvitation(db, { ...draft, hash: hashToken(token), createdBy, expiresAt });
  return { id, token };
}

/** Returns the invitations of everyone, latest first. */
export async function readInvitations(
  db: Reader,
  cursor: string | undefined,
): Promise<{ items: Invitation[]; nextCursor: string | null }> {
  const { invitations: size, members } = pageSizes;
  return pageById(cursor, size, (before, limit) => listInvitations(db, { before, limit, members }));
}

/**
 * The link no longer works. Members who joined with it stay.
 * @throws ProblemError 'not-found', 'already-handled'
 */
export async function revokeInvitation(db: Database, id: number): Promise<void> {
  if (await markRevoked(db, id)) return;
  throw new ProblemError(
    (await hasInvitation(db, id)) ? 'invitation-revoked-before' : 'invitation-not-found',
  );
}

const stateErrors = {
  'used-up': 'invitation-used-up',
  expired: 'invitation-expired',
  revoked: 'invitation-revoked',
} as const satisfies Record<Exclude<InvitationState, 'active'>, ErrorCode>;

/**
 * Returns who invites with a link.
 * @throws ProblemError 'gone' if the link is unknown, expired, used up or revoked
 */
export async function requireInvitation(db: Queryable, token: string): Promise<OpenInvitation> {
  const found = await findInvitation(db, hashToken(token));
  if (found === undefined) throw new ProblemError('invitation-not-valid');
  if (found.state !== 'active') throw new ProblemError(stateErrors[found.state]);
  return { inviterName: found.inviterName, expiresAt: found.expiresAt.toISOString() };
}

/**
 * Takes one use of a link before the account is created, and returns the id of the invitation.
 * @throws ProblemError 'gone'
 */
export async function takeInvitation(db: Database, token: string): Promise<number> {
  const id = await takeUse(db, hashToken(token));
  if (id !== undefined) return id;
  await requireInvitation(db, token);
  // Another registration took the last use, and failed meanwhile: the person can try again.
  throw new ProblemError('invitation-used-up');
}
