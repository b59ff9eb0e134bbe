import { z } from 'zod';
import { id, paged, time } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { questionCards } from '#shared/posts/questions.ts';

export const muteMessages = {
  tooMany: `You can mute up to ${limits.mutedTags} topics. Unmute some to add others.`,
} as const;

export const muteState = z.object({ muted: z.boolean() });

/** The topics whose questions leave the member's feeds, the latest mute first; 100 at most. */
export const mutedTags = z.object({ items: z.array(z.object({ tag: z.string(), mutedAt: time })) });
export type MutedTags = z.infer<typeof mutedTags>;

/** The questions of which the member hears nothing any more, the latest mute first. */
export const mutedQuestions = paged(z.object({ id, title: z.string(), mutedAt: time }));
export type MutedQuestions = z.infer<typeof mutedQuestions>;

/** Whether a feed leaves out the questions of muted topics. */
export const mutedChoice = z.enum(['hide', 'show']);
export type MutedChoice = z.infer<typeof mutedChoice>;

/** A page of a feed, and how many questions of muted topics it passed over. */
export const feedPage = questionCards.extend({ mutedCount: z.int().nonnegative() });
export type FeedPage = z.infer<typeof feedPage>;
