import { z } from 'zod';
import { time } from '#shared/core/fields.ts';
import { signUpAnswer, signUpAnswers, signUpQuestion } from './sign-up-questions.ts';

/** Accounts that are not members yet (docs/product.md 2.15). */
export const applicationStatus = z.enum(['waiting', 'refused']);
export type ApplicationStatus = z.infer<typeof applicationStatus>;

/** The account of someone who is signed in, but not a member yet. */
export const ownAccount = z.object({
  status: applicationStatus,
  displayName: z.string(),
  email: z.string(),
});

/** What the page /application shows. `reason`: why it was refused, empty otherwise. */
export const ownApplication = ownAccount.extend({
  appliedAt: time,
  reason: z.string(),
  /** Whether the account is deleted with a password. */
  hasPassword: z.boolean(),
  signUpAnswers: z.array(signUpAnswer),
  /** The questions that are asked now. */
  signUpQuestions: z.array(signUpQuestion),
});
export type OwnApplication = z.infer<typeof ownApplication>;

export const signUpAnswersDraft = z.object({ signUpAnswers });
