import { z } from 'zod';
import { paged, time } from '#shared/core/fields.ts';
import { questionCard } from '#shared/posts/questions.ts';

export const tagSort = z.enum(['popular', 'alphabetical', 'active']);
export type TagSort = z.infer<typeof tagSort>;

export const tag = z.object({
  /** The tag as first written. */
  name: z.string(),
  description: z.string(),
  questionsCount: z.int().nonnegative(),
  followersCount: z.int().nonnegative(),
  /** The latest question or answer; null where there is none. */
  activeAt: time.nullable(),
  following: z.boolean(),
  /** Whether its questions leave the viewer's feeds. */
  muted: z.boolean(),
});
export type Tag = z.infer<typeof tag>;

export const tagsPage = paged(tag);
export type TagsPage = z.infer<typeof tagsPage>;

/** A followed topic with its newest questions. */
export const followedTag = tag.extend({ questions: z.array(questionCard) });
export const followedTagsPage = paged(followedTag);
export type FollowedTag = z.infer<typeof followedTag>;

/**
 * The first names of what the member follows, and how many topics there are in all; who follows none gets suggestions.
 */
export const followedTagsSummary = z.object({
  tags: z.array(z.string()),
  total: z.int().nonnegative(),
  suggested: z.array(tag.pick({ name: true, description: true })),
});
export type FollowedTagsSummary = z.infer<typeof followedTagsSummary>;

/** Offered on /following to members who follow no topic (docs/product.md 10.6), where the site has no tags of its own yet. */
export const suggestedTags = [
  'JavaScript',
  'React',
  'Python',
  'Technology',
  'Programming',
  'Career',
] as const;

/** Names of followed topics shown before '+N more' (docs/product.md 10.7). */
export const followedTagsInSummary = 5;
