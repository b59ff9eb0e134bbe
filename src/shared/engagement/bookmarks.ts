import { z } from 'zod';
import { author, id, paged, singleLine, time } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';

export const bookmarkMessages = {
  noteLong: `A note can have up to ${limits.bookmarkNote} characters`,
  nameRequired: 'Give the list a name',
  nameLong: `A list's name can have up to ${limits.bookmarkListName} characters`,
  nameTaken: 'You have a list of this name already',
  tooMany: `You can keep up to ${limits.bookmarks.toLocaleString('en')} bookmarks. Remove some to add others.`,
  tooManyLists: `You can have up to ${limits.bookmarkLists} lists`,
} as const;

/** A few words for oneself; empty where there is none. */
export const bookmarkNote = z
  .string()
  .trim()
  .refine((text) => countCodePoints(text) <= limits.bookmarkNote, bookmarkMessages.noteLong)
  .refine((text) => !hasForbiddenCharacters(text), 'The text contains characters that cannot be shown');

const listIds = z.array(id).max(limits.bookmarkLists);

/**
 * The state a bookmark is set to. The rest says how it is kept, where it was not kept yet: so one that was removed comes
 * back as it was, also in its place.
 */
export const bookmarkDraft = z.object({
  bookmarked: z.boolean(),
  note: bookmarkNote.optional(),
  listIds: listIds.optional(),
  bookmarkedAt: time.optional(),
});
export type BookmarkDraft = z.infer<typeof bookmarkDraft>;

/** `id`: of the bookmark; null where there is none. */
export const bookmarkState = z.object({ bookmarked: z.boolean(), id: id.nullable() });

/** A question or (with `answerId`) an answer that a member keeps. */
export const bookmark = z.object({
  id,
  questionId: id,
  answerId: id.nullable(),
  /** Of the question. */
  title: z.string(),
  excerpt: z.string(),
  excerptCut: z.boolean(),
  ...author.shape,
  note: z.string(),
  listIds: z.array(id),
  bookmarkedAt: time,
});
export type Bookmark = z.infer<typeof bookmark>;

export const bookmarks = paged(bookmark);
export type Bookmarks = z.infer<typeof bookmarks>;

export const bookmarkNoteDraft = z.object({ note: bookmarkNote });
export const bookmarkListsDraft = z.object({ listIds });

export const bookmarkListDraft = z.object({
  name: singleLine({
    max: limits.bookmarkListName,
    required: bookmarkMessages.nameRequired,
    tooLong: bookmarkMessages.nameLong,
  }),
});

export const bookmarkList = z.object({ id, name: z.string(), count: z.int().nonnegative() });
export type BookmarkList = z.infer<typeof bookmarkList>;

/** A member's lists by name, and how many bookmarks there are in all. */
export const bookmarkLists = z.object({ items: z.array(bookmarkList), total: z.int().nonnegative() });
export type BookmarkLists = z.infer<typeof bookmarkLists>;
