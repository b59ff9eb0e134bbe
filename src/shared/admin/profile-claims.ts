import { z } from 'zod';
import { id, paged, time } from '#shared/core/fields.ts';
import { withCode } from '#shared/core/coded-error.ts';
import { reasonText } from '#shared/moderation/moderation.ts';

const requiredReason = reasonText(z.string()).refine((text) => text !== '', withCode('reason-required'));

/** How a member can claim an imported profile. */
export const profileClaim = z.object({
  profileId: id,
  displayName: z.string(),
  /** The site that the profile is from, and its page there. */
  site: z.string(),
  profileUrl: z.string(),
  /** The text to put on that page, and until when it is valid; null before the claim begins. */
  token: z.string().nullable(),
  tokenExpiresAt: time.nullable(),
  /**
   * The sign-in provider whose account the viewer has linked and the old profile had, too: it proves the claim. Null if
   * there is none.
   */
  identityProvider: z.string().nullable(),
  /** What the moderators do with the request; 'none' without one. */
  request: z.enum(['none', 'waiting', 'declined']),
  /** Why they declined it. */
  declineReason: z.string().nullable(),
});
export type ProfileClaim = z.infer<typeof profileClaim>;

/**
 * - claimed: the profile is being merged into the account
 * - token-missing: the page does not have the token
 * - unreachable: the site did not respond with the page in time
 * - refused: the site is not on the public internet
 */
export const claimProof = z.object({
  outcome: z.enum(['claimed', 'token-missing', 'unreachable', 'refused']),
});
export type ClaimProof = z.infer<typeof claimProof>;

/** 'identity-missing': the old profile had no account at a provider that the viewer has linked. */
export const claimIdentityProof = z.object({ outcome: z.enum(['claimed', 'identity-missing']) });
export type ClaimIdentityProof = z.infer<typeof claimIdentityProof>;

export const claimRequestDraft = z.object({ message: requiredReason });

/** A request that waits for a moderator. */
export const requestedClaim = z.object({
  id,
  profileId: id,
  profileName: z.string(),
  profileUrl: z.string(),
  memberId: id,
  memberName: z.string(),
  message: z.string(),
  requestedAt: time,
  /** Posts of the profile. */
  posts: z.int().nonnegative(),
});
export type RequestedClaim = z.infer<typeof requestedClaim>;
export const requestedClaims = paged(requestedClaim);
export type RequestedClaims = z.infer<typeof requestedClaims>;

export const claimDecision = z.object({ decision: z.enum(['approve', 'decline']), reason: requiredReason });
export type ClaimDecision = z.infer<typeof claimDecision>;
