import { randomBytes } from 'node:crypto';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import { type Database, type Queryable, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import type { ReachableHosts } from '#server/core/outgoing-request.ts';
import { getAccountProviderId, isUsable, type SignInProviders } from '#server/identity/index.ts';
import { endQueueNotifications, notifyOfQueue } from '#server/notifications/index.ts';
import { getSourceAddress } from '#server/posts/index.ts';
import type {
  ClaimDecision,
  ClaimIdentityProof,
  ClaimProof,
  ProfileClaim,
  RequestedClaims,
} from '#shared/admin/profile-claims.ts';
import { mergeInTransaction, type QueueAccountMerge } from './account-merge.ts';
import { findTokenOnPage } from './profile-claims-page.ts';
import {
  type ClaimableProfile,
  declineClaim,
  deleteClaim,
  findClaim,
  findClaimableProfile,
  findCommonIdentity,
  isClaimWaiting,
  listRequestedClaims,
  lockClaim,
  putClaim,
  requestClaim,
} from './profile-claims-queries.ts';

type Wanted = { profileId: number; memberId: number };

/** The sign-in providers that members can use now. */
type ProviderDeps = { signInProviders: Pick<SignInProviders, 'list'> };

/** Days for which a token is valid. */
const tokenDays = 7;

/** Requests per page of the list. */
const claimsPage = 50;

/**
 * How the member can claim an imported profile, and how far that is.
 * @throws ProblemError 'not-found' for a profile that cannot be claimed
 */
export async function readClaim(
  db: Queryable,
  { signInProviders, ...wanted }: Wanted & ProviderDeps,
): Promise<ProfileClaim> {
  const profile = await requireProfile(db, wanted.profileId);
  const claim = await findClaim(db, wanted);
  const isValid = claim?.is_expired === false;
  return {
    profileId: profile.id,
    displayName: profile.name,
    site: profile.site,
    profileUrl: addressOf(profile),
    token: isValid ? claim.token : null,
    tokenExpiresAt: isValid ? claim.token_expires_at.toISOString() : null,
    identityProvider: (await findProvingProvider(db, { signInProviders, ...wanted }))?.name ?? null,
    request:
      claim === undefined || claim.requested_at === null
        ? 'none'
        : claim.declined_at === null
          ? 'waiting'
          : 'declined',
    declineReason: claim?.decline_reason ?? null,
  };
}

/** Begins a claim: the member gets a token. It stays the same until it expires. */
export async function beginClaim(
  db: Database,
  { signInProviders, ...wanted }: Wanted & ProviderDeps,
): Promise<ProfileClaim> {
  await requireProfile(db, wanted.profileId);
  const token = `parley-${randomBytes(12).toString('hex')}`;
  await putClaim(db, { ...wanted, token, days: tokenDays });
  return readClaim(db, { ...wanted, signInProviders });
}

export async function withdrawClaim(db: Database, wanted: Wanted): Promise<void> {
  await requireProfile(db, wanted.profileId);
  await transaction(db, async (tx) => {
    await deleteClaim(tx, wanted);
    await publishDecision(tx);
  });
}

/**
 * Looks for the token on the page of the profile on its site. If it is there, the profile is merged into the account.
 * @throws ProblemError 'not-found' without a claim, 'already-handled' for an expired token
 */
export async function proveClaim(
  db: Database,
  {
    hosts,
    queueMerge,
    ...wanted
  }: Wanted & { hosts: ReachableHosts; queueMerge: QueueAccountMerge | undefined },
): Promise<ClaimProof> {
  const profile = await requireProfile(db, wanted.profileId);
  const claim = await findClaim(db, wanted);
  if (claim === undefined) throw new ProblemError('claim-not-found');
  if (claim.is_expired) throw new ProblemError('claim-expired');
  const outcome = await findTokenOnPage(addressOf(profile), { token: claim.token, hosts });
  if (outcome !== 'found') return { outcome };
  await transaction(db, async (tx) => {
    // Decided or withdrawn while the site was read.
    if ((await lockClaim(tx, claim.id))?.token !== claim.token) throw new ProblemError('claim-not-found');
    await mergeInTransaction(tx, {
      merge: { fromId: wanted.profileId, intoId: wanted.memberId },
      moderatorId: null,
      reason: `Claimed with a text in the profile on ${profile.site}`,
      queueMerge,
    });
    await publishDecision(tx);
  });
  return { outcome: 'claimed' };
}

/** Claims a profile whose account at a sign-in provider is one that the member has linked. That is proof enough. */
export async function claimByIdentity(
  db: Database,
  {
    signInProviders,
    queueMerge,
    ...wanted
  }: Wanted & ProviderDeps & { queueMerge: QueueAccountMerge | undefined },
): Promise<ClaimIdentityProof> {
  const { site } = await requireProfile(db, wanted.profileId);
  return transaction(db, async (tx) => {
    const provider = await findProvingProvider(tx, { signInProviders, ...wanted });
    if (provider === undefined) return { outcome: 'identity-missing' };
    await mergeInTransaction(tx, {
      merge: { fromId: wanted.profileId, intoId: wanted.memberId },
      moderatorId: null,
      reason: `Claimed with the account at ${provider.name}, which was that of the profile on ${site}`,
      queueMerge,
    });
    await publishDecision(tx);
    return { outcome: 'claimed' };
  });
}

async function findProvingProvider(db: Queryable, { signInProviders, ...wanted }: Wanted & ProviderDeps) {
  const providers = (await signInProviders.list(db)).filter(isUsable);
  const found = await findCommonIdentity(db, {
    ...wanted,
    providerIds: providers.map(getAccountProviderId),
  });
  return providers.find((provider) => getAccountProviderId(provider) === found);
}

/** Asks the moderators to decide. */
export async function askModerators(db: Database, wanted: Wanted & { message: string }): Promise<void> {
  await requireProfile(db, wanted.profileId);
  await transaction(db, async (tx) => {
    if (!(await requestClaim(tx, wanted)))
      throw new ProblemError(
        (await findClaim(tx, wanted)) === undefined ? 'claim-not-found' : 'claim-waiting',
      );
    const isFirst = !(await isClaimWaiting(tx, { except: wanted }));
    await publishAll(tx, [
      claimsChanged,
      ...(await notifyOfQueue(tx, { kind: 'profile_claim', isFirst, except: wanted.memberId })),
    ]);
  });
}

const claimsChanged = { topic: 'moderation', event: { kind: 'moderation-changed' } } as const;

/** After a claim no longer waits: ends the notifications of the moderators when none is left. */
async function publishDecision(tx: Tx): Promise<void> {
  await publishAll(tx, [claimsChanged, ...(await endQueueNotifications(tx, 'profile_claim'))]);
}

/** A page of the requests that wait for a moderator. */
export async function readRequestedClaims(db: Reader, cursor: string | undefined): Promise<RequestedClaims> {
  const rows = await listRequestedClaims(db, {
    afterId: decodeCursor(cursor)?.after ?? 0,
    limit: claimsPage + 1,
  });
  const { items, nextCursor } = paginate(rows, claimsPage, ({ id }) => ({ after: id, id }));
  return {
    items: items.map((row) => ({
      id: row.id,
      profileId: row.profile_id,
      profileName: row.profile_name,
      profileUrl: getSourceAddress(row.site, 'users', row.key),
      memberId: row.member_id,
      memberName: row.member_name,
      message: row.message,
      requestedAt: row.requested_at.toISOString(),
      posts: row.posts,
    })),
    nextCursor,
  };
}

/**
 * Approves a claim, which merges the profile into the account of the member, or declines it. Not one's own.
 * @throws ProblemError 'not-found', 'not-allowed'
 */
export async function decideClaim(
  db: Database,
  decided: {
    id: number;
    moderatorId: number;
    draft: ClaimDecision;
    queueMerge: QueueAccountMerge | undefined;
  },
): Promise<void> {
  const { id, moderatorId, draft, queueMerge } = decided;
  await transaction(db, async (tx) => {
    const claim = await lockClaim(tx, id);
    if (claim === undefined || claim.requested_at === null || claim.declined_at !== null)
      throw new ProblemError('claim-not-found');
    if (claim.member_id === moderatorId) throw new ProblemError('claim-by-yourself');
    if (draft.decision === 'decline') await declineClaim(tx, { id, reason: draft.reason });
    else
      await mergeInTransaction(tx, {
        merge: { fromId: claim.profile_id, intoId: claim.member_id },
        moderatorId,
        reason: draft.reason,
        queueMerge,
      });
    await publishDecision(tx);
  });
}

async function requireProfile(db: Reader, id: number): Promise<ClaimableProfile> {
  const profile = await findClaimableProfile(db, id);
  if (profile === undefined) throw new ProblemError('claim-not-possible');
  return profile;
}

const addressOf = ({ site, key }: ClaimableProfile) => getSourceAddress(site, 'users', key);
