import { z } from 'zod';
import { id, paged, time } from '#shared/core/fields.ts';
import { questionCards } from '#shared/posts/questions.ts';
import { questionCardsViewer } from '#shared/posts/questions-document.ts';

export const muteState = z.object({ muted: z.boolean() });

/** The muted tags, latest first; at most 100. */
export const mutedTags = z.object({ items: z.array(z.object({ tag: z.string(), mutedAt: time })) });
export type MutedTags = z.infer<typeof mutedTags>;

/** The muted questions, latest first. */
export const mutedQuestions = paged(z.object({ id, title: z.string(), mutedAt: time }));
export type MutedQuestions = z.infer<typeof mutedQuestions>;

/** Whether a feed hides the questions with muted tags. */
export const mutedChoice = z.enum(['hide', 'show']);
export type MutedChoice = z.infer<typeof mutedChoice>;

/** A page of a feed, with the number of hidden questions with muted tags. */
export const feedPage = questionCards.extend({ mutedCount: z.int().nonnegative() });
export type FeedPage = z.infer<typeof feedPage>;

/** What the viewer sees on a page of a feed. */
export const feedViewer = questionCardsViewer.extend({
  /** The page without questions that have a muted tag; null if the document is the page. */
  withoutMuted: feedPage.nullable(),
});
export type FeedViewer = z.infer<typeof feedViewer>;
