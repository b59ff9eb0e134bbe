import { z } from 'zod';
import { avatar, cursorQuery, id, paged, time } from '#shared/core/fields.ts';
import { pendingStep } from '#shared/identity/accounts.ts';
import { applicationStatus } from '#shared/identity/applications.ts';
import { signUpAnswer } from '#shared/identity/sign-up-questions.ts';
import { maxReviewCount, reasonText } from './moderation.ts';

/** An account that waits for a moderator, or was refused. */
export const application = z.object({
  /** The id of the account. */
  id,
  displayName: z.string(),
  avatar,
  status: applicationStatus,
  appliedAt: time,
  /** The part of the email address after the @. */
  emailDomain: z.string(),
  /** Whether the account has proven that the address is its own. */
  emailConfirmed: z.boolean(),
  signUpAnswers: z.array(signUpAnswer),
  /** Other accounts that registered from the same network in the latest 30 days, up to `maxReviewCount`. */
  networkAccounts: z.int().nonnegative(),
  /** What the account has to do besides, because many registered from its network. */
  pendingStep: pendingStep.nullable(),
  /** The moderator who works on it, until when; null for none. */
  claim: z.object({ memberId: id, name: z.string(), until: time }).nullable(),
  /** Who refused it, when and why; null while it waits. */
  refusal: z.object({ name: z.string().nullable(), at: time, reason: z.string() }).nullable(),
});
export type Application = z.infer<typeof application>;

export const applications = paged(application);
export type Applications = z.infer<typeof applications>;

export const applicationsQuery = z.object({
  status: applicationStatus.default('waiting'),
  cursor: cursorQuery,
});

/** How many accounts wait, up to `maxReviewCount`. */
export const applicationCount = z.object({ waiting: z.int().nonnegative().max(maxReviewCount) });

/** `reason`: for the applicant, required to refuse. */
export const applicationDecision = z.object({
  decision: z.enum(['approve', 'refuse']),
  reason: reasonText(z.string()).default(''),
});
export type ApplicationDecision = z.infer<typeof applicationDecision>;
