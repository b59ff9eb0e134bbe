import { z } from 'zod';
import { pendingStep } from '#shared/identity/accounts.ts';
import { id, paged, postKind, time } from '#shared/core/fields.ts';
import { withCode } from '#shared/core/coded-error.ts';
import { limits } from '#shared/core/limits.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';

/** Hours that lists of registrations can go back: networks are stored for that long. */
export const registrationHoursMax = 30 * 24;

/** The stored form: '192.0.2.1' or '2001:db8:1::/48'. */
export const network = z.string().regex(/^[\da-f.:/]{2,60}$/, withCode('network-not-valid'));
const count = z.int().nonnegative();

export const registrationQuery = z.object({
  hours: z.coerce.number().int().min(1).max(registrationHoursMax).default(24),
});

/** The accounts that registered from one network in a time span. */
export const registrationNetwork = z.object({
  /** An IPv4 address or an IPv6 /48; null for accounts that still wait and whose network is no longer stored. */
  network: network.nullable(),
  accounts: z.int().positive(),
  /** Number of accounts that wait for approval. */
  pendingAccounts: count,
  firstAt: time,
  latestAt: time,
});
export type RegistrationNetwork = z.infer<typeof registrationNetwork>;
export const registrationNetworks = z.object({ items: z.array(registrationNetwork) });

const activity = { questions: count, answers: count, replies: count, votes: count } as const;

/** An account of a network with its activity. */
export const registeredAccount = z.object({
  id,
  displayName: z.string(),
  registeredAt: time,
  pendingStep: pendingStep.nullable(),
  isModerator: z.boolean(),
  /** Whether all activity of the account is removed, or is being removed. */
  isRemoved: z.boolean(),
  ...activity,
});
export type RegisteredAccount = z.infer<typeof registeredAccount>;
export const registeredAccounts = paged(registeredAccount);

export const approval = z.object({ memberIds: z.array(id).min(1).max(limits.removalAccounts) });

/** Either members, or all accounts that registered from a network in a time span. */
export const removalSelection = z.object({
  memberIds: z.array(id).max(limits.removalAccounts).default([]),
  network: network.nullable().default(null),
  from: time.nullable().default(null),
  /** Null: until now. */
  to: time.nullable().default(null),
});
export type RemovalSelection = z.infer<typeof removalSelection>;

const reason = z
  .string()
  .trim()
  .refine((value) => countCodePoints(value) <= 500, withCode('text-too-long', { max: 500 }))
  .refine((value) => !hasForbiddenCharacters(value), withCode('characters-not-allowed'));

export const removalDraft = z.object({ ...removalSelection.shape, reason });
export type RemovalDraft = z.infer<typeof removalDraft>;
export const restorationDraft = z.object({ reason });

/** The present counts of what a removal would take. */
export const removalPreview = z.object({
  /** Accounts whose activity would be removed. */
  accounts: count,
  /** Selected moderators, which are skipped. */
  moderators: count,
  alreadyRemoved: count,
  ...activity,
  /** Answers and replies of other members below these posts, which are hidden with them. */
  othersPosts: count,
  /** The accounts with the most activity first; at most 100. */
  items: z.array(z.object({ id, displayName: z.string(), ...activity })),
  /** The latest posts; at most 10. */
  sample: z.array(
    z.object({
      kind: postKind,
      id,
      questionId: id,
      title: z.string(),
      /** The first 200 characters. */
      text: z.string(),
      authorName: z.string(),
      createdAt: time,
    }),
  ),
});
export type RemovalPreview = z.infer<typeof removalPreview>;

/** A removal of all activity of several accounts, with its progress. */
export const removal = z.object({
  id,
  state: z.enum(['removing', 'removed', 'restoring', 'restored']),
  reason: z.string(),
  createdAt: time,
  /** Null: the command line. */
  moderatorName: z.string().nullable(),
  accounts: count,
  posts: count,
  votes: count,
  postsDone: count,
  votesDone: count,
});
export type Removal = z.infer<typeof removal>;
export const removals = z.object({ items: z.array(removal) });
