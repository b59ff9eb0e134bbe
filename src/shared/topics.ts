import { z } from 'zod';
import { paged, time } from './fields.ts';
import { questionCard } from './questions.ts';

export const topicSort = z.enum(['popular', 'alphabetical', 'active']);
export type TopicSort = z.infer<typeof topicSort>;

export const topic = z.object({
  /** The tag as first written. */
  tag: z.string(),
  description: z.string(),
  questionsCount: z.int().nonnegative(),
  followersCount: z.int().nonnegative(),
  /** The latest question or answer; null where there is none. */
  activeAt: time.nullable(),
  following: z.boolean(),
  /** Whether its questions leave the viewer's feeds. */
  muted: z.boolean(),
});
export type Topic = z.infer<typeof topic>;

export const topics = paged(topic);
export type Topics = z.infer<typeof topics>;

/** A followed topic with its newest questions. */
export const followedTopic = topic.extend({ questions: z.array(questionCard) });
export const followedTopics = paged(followedTopic);
export type FollowedTopic = z.infer<typeof followedTopic>;

/**
 * The first names of what the member follows, and how many topics there are in all; who follows none gets suggestions.
 */
export const followedSummary = z.object({
  tags: z.array(z.string()),
  total: z.int().nonnegative(),
  suggested: z.array(topic.pick({ tag: true, description: true })),
});
export type FollowedSummary = z.infer<typeof followedSummary>;

/** Offered on /following to members who follow no topic (docs/product.md 10.6), where the site has no tags of its own yet. */
export const suggestedTopics = [
  'JavaScript',
  'React',
  'Python',
  'Technology',
  'Programming',
  'Career',
] as const;

/** Names of followed topics shown before '+N more' (docs/product.md 10.7). */
export const summaryNames = 5;
