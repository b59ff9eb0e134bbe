import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { id, paged, time } from '#shared/core/fields.ts';
import { countCodePoints, hasControlCharacters } from '#shared/core/text.ts';

export const invitationLimits = { uses: 1_000, days: 365, note: 200 } as const;

/** A token is 32 random bytes in base64url. */
export const invitationToken = z
  .string()
  .max(100)
  .refine((text) => !hasControlCharacters(text), withCode('characters-not-allowed'));

export const invitationDraft = z.object({
  /** For moderators only, such as for whom the link is. */
  note: z
    .string()
    .trim()
    .refine(
      (note) => countCodePoints(note) <= invitationLimits.note,
      withCode('text-too-long', { max: invitationLimits.note }),
    )
    .refine((note) => !hasControlCharacters(note), withCode('characters-not-allowed')),
  maxUses: z
    .int(withCode('setting-not-number'))
    .min(1, withCode('setting-not-in-range', { min: 1, max: invitationLimits.uses }))
    .max(invitationLimits.uses, withCode('setting-not-in-range', { min: 1, max: invitationLimits.uses })),
  /** At most `invitationLimits.days` from now. */
  expiresAt: time,
});
export type InvitationDraft = z.infer<typeof invitationDraft>;

/** The token is in this response only. */
export const createdInvitation = z.object({ id, token: z.string() });

export const invitationState = z.enum(['active', 'used-up', 'expired', 'revoked']);
export type InvitationState = z.infer<typeof invitationState>;

const namedMember = z.object({ id, displayName: z.string() });

/** An invitation as moderators see it. */
export const invitation = z.object({
  id,
  createdBy: namedMember,
  note: z.string(),
  maxUses: z.int(),
  uses: z.int(),
  createdAt: time,
  expiresAt: time,
  state: invitationState,
  /** Who joined with it, latest first; at most 50. */
  members: z.array(namedMember),
});
export type Invitation = z.infer<typeof invitation>;

export const invitationPage = paged(invitation);

export const invitationRequest = z.object({ token: invitationToken });

/** An invitation as visitors see it who have its link. */
export const openInvitation = z.object({ inviterName: z.string(), expiresAt: time });
export type OpenInvitation = z.infer<typeof openInvitation>;
