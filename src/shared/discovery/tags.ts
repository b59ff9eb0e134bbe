import { z } from 'zod';
import { paged, time } from '#shared/core/fields.ts';
import { questionCard } from '#shared/posts/questions.ts';
import { tagTextSource } from '#shared/posts/tag-text-source.ts';

export const tagSort = z.enum(['popular', 'alphabetical', 'active']);
export type TagSort = z.infer<typeof tagSort>;

export const tag = z.object({
  /** The tag as first written. */
  name: z.string(),
  description: z.string(),
  questionsCount: z.int().nonnegative(),
  followersCount: z.int().nonnegative(),
  /** The time of the latest question or answer; null if there is none. */
  activeAt: time.nullable(),
  following: z.boolean(),
  /** Whether the viewer muted the tag. */
  muted: z.boolean(),
});
export type Tag = z.infer<typeof tag>;

export const tagsPage = paged(tag);
export type TagsPage = z.infer<typeof tagsPage>;

/** A tag in a list: without what `tagsViewer` has (docs/decisions/047). */
const listedTagDocument = tag.omit({ following: true, muted: true });
export type ListedTagDocument = z.infer<typeof listedTagDocument>;

export const tagsDocument = paged(listedTagDocument);
export type TagsDocument = z.infer<typeof tagsDocument>;

/** A tag with its text, Markdown, and where its texts come from; null for none. */
export const tagDocument = listedTagDocument.extend({
  about: z.string().nullable(),
  descriptionSource: tagTextSource,
  aboutSource: tagTextSource,
});
export type TagDocument = z.infer<typeof tagDocument>;

/** The names of the tags in a document that the viewer follows or muted. */
export const tagsViewer = z.object({ following: z.array(z.string()), muted: z.array(z.string()) });
export type TagsViewer = z.infer<typeof tagsViewer>;

/** A followed tag with its newest questions. */
export const followedTag = tag.extend({ questions: z.array(questionCard) });
export const followedTagsPage = paged(followedTag);
export type FollowedTag = z.infer<typeof followedTag>;

/** The first followed tags and their total number; suggestions if there are none. */
export const followedTagsSummary = z.object({
  tags: z.array(z.string()),
  total: z.int().nonnegative(),
  suggested: z.array(tag.pick({ name: true, description: true })),
});
export type FollowedTagsSummary = z.infer<typeof followedTagsSummary>;

/** Suggested on /following to members without followed tags, after the site's popular tags (docs/product.md 10.6). */
export const suggestedTags = [
  'JavaScript',
  'React',
  'Python',
  'Technology',
  'Programming',
  'Career',
] as const;

/** Followed tags shown before '+N more' (docs/product.md 10.7). */
export const followedTagsInSummary = 5;
