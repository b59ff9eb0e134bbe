import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { avatar, cursorQuery, id, source, time } from '#shared/core/fields.ts';
import { importedBadges } from '#shared/identity/imported-badges.ts';
import { closing } from '#shared/posts/closing-reasons.ts';
import { siteHistory } from '#shared/posts/site-history.ts';
import { tagTextSource } from '#shared/posts/tag-text-source.ts';

/** What mirrors read, in the order in which a first read lists it. */
export const changeKinds = ['member', 'tag', 'question', 'answer', 'reply'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** The most changes in one response. */
export const changesPerPage = 100;

export const changesQuery = z.object({
  cursor: cursorQuery,
  /** Only what changed since this time. Ignored with a cursor. */
  updatedSince: z.iso.datetime({ offset: true, ...withCode('changes-time-not-valid') }).optional(),
  /** Kinds, separated by commas; absent: all. */
  kinds: z
    .string()
    .max(100)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(changeKinds, withCode('changes-kind-not-valid'))))
    .optional(),
});
export type ChangesQuery = z.infer<typeof changesQuery>;

/** `authorName` is null for members: their names are in their own items. */
const authorOf = { authorId: id.nullable(), authorName: z.string().nullable() };
const post = {
  id,
  ...authorOf,
  content: z.string(),
  createdAt: time,
  editedAt: time.nullable(),
  upvotes: z.int().nonnegative(),
  downvotes: z.int().nonnegative(),
  source,
};

export const changedMember = z.object({
  id,
  displayName: z.string(),
  avatar,
  /** Whether it is a service account, with which a program writes. */
  isBot: z.boolean(),
  bio: z.string().nullable(),
  location: z.string().nullable(),
  /** URL with http or https. */
  website: z.string().nullable(),
  createdAt: time,
  reputation: z.int().nonnegative(),
  questionsCount: z.int().nonnegative(),
  answersCount: z.int().nonnegative(),
  /** Badges on the sites of imported profiles that are the member's, by site. */
  importedBadges: z.array(importedBadges),
});

export const changedTag = z.object({
  id,
  name: z.string(),
  /** One line; null for none. */
  description: z.string().nullable(),
  /** The text of the tag's page, Markdown; null for none. */
  about: z.string().nullable(),
  descriptionSource: tagTextSource,
  aboutSource: tagTextSource,
  questionsCount: z.int().nonnegative(),
  followersCount: z.int().nonnegative(),
});

export const changedQuestion = z.object({
  ...post,
  title: z.string(),
  tags: z.array(z.string()),
  acceptedAnswerId: id.nullable(),
  /** The reason of the lock; null if it is not locked. */
  lockReason: z.string().nullable(),
  duplicateOf: id.nullable(),
  /** Why the site that it was imported from closed it; null for open questions and duplicates of a question here. */
  closing,
  siteHistory,
});

export const changedAnswer = z.object({ ...post, questionId: id, siteHistory });

export const changedReply = z.object({
  ...post,
  questionId: id,
  /** Null for a reply to the question itself. */
  answerId: id.nullable(),
  parentReplyId: id.nullable(),
  /** The author deleted it while there were replies to it. It has no text and no author. */
  deleted: z.boolean(),
});

/** `item` is null when it was deleted or hidden, or became part of another one by a merge. */
const changeOf = <Kind extends ChangeKind, Item extends z.ZodType>(kind: Kind, item: Item) =>
  z.object({ kind: z.literal(kind), id, item: item.nullable() });

export const change = z.discriminatedUnion('kind', [
  changeOf('member', changedMember),
  changeOf('tag', changedTag),
  changeOf('question', changedQuestion),
  changeOf('answer', changedAnswer),
  changeOf('reply', changedReply),
]);
export type Change = z.infer<typeof change>;

export const changesPage = z.object({
  /** In the order of their last change. */
  changes: z.array(change),
  /** For the next request, now if `hasMore`, else whenever the program reads again. */
  cursor: z.string(),
  hasMore: z.boolean(),
});
export type ChangesPage = z.infer<typeof changesPage>;
