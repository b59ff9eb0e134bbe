import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { author, id, paged, singleLine, time } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';

/** A short private note; can be empty. */
export const bookmarkNote = z
  .string()
  .trim()
  .refine(
    (text) => countCodePoints(text) <= limits.bookmarkNote,
    withCode('bookmark-note-too-long', { max: limits.bookmarkNote }),
  )
  .refine((text) => !hasForbiddenCharacters(text), withCode('characters-not-allowed'));

const listIds = z.array(id).max(limits.bookmarkLists);

/**
 * The state to set. The other fields apply to a new bookmark, so that a removed one can be restored with its note,
 * lists and position.
 */
export const bookmarkDraft = z.object({
  bookmarked: z.boolean(),
  note: bookmarkNote.optional(),
  listIds: listIds.optional(),
  bookmarkedAt: time.optional(),
});
export type BookmarkDraft = z.infer<typeof bookmarkDraft>;

/** The bookmark with its note and lists; without one, `id` is null and the others are empty. */
export const bookmarkState = z.object({
  bookmarked: z.boolean(),
  id: id.nullable(),
  note: z.string(),
  listIds: z.array(id),
});
export type BookmarkState = z.infer<typeof bookmarkState>;

/** A bookmarked question or, with `answerId`, answer. */
export const bookmark = z.object({
  id,
  questionId: id,
  answerId: id.nullable(),
  /** Title of the question. */
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
    required: 'bookmark-list-name-required',
    tooLong: 'bookmark-list-name-too-long',
  }),
});

export const bookmarkList = z.object({ id, name: z.string(), count: z.int().nonnegative() });
export type BookmarkList = z.infer<typeof bookmarkList>;

/** A member's lists by name, and the total number of bookmarks. */
export const bookmarkLists = z.object({ items: z.array(bookmarkList), total: z.int().nonnegative() });
export type BookmarkLists = z.infer<typeof bookmarkLists>;
