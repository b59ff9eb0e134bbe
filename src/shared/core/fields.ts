import { z } from 'zod';
import { countCodePoints, hasControlCharacters, hasForbiddenCharacters } from './text.ts';

/** Ids are positive integers that fit a JavaScript number. */
export const id = z.int().positive();

/** An id as part of an address, written in the one way that there is. */
export const idParam = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d{0,15}$/, 'An id is a positive whole number')
    .transform(Number)
    .pipe(z.int()),
});

/** Text as part of an address. What PostgreSQL cannot hold, it cannot look for either. */
export const addressText = z
  .string()
  .max(200)
  .refine((text) => !hasControlCharacters(text), 'The text contains characters that cannot be shown');

/** A tag as part of an address. */
export const tagParam = z.object({ tag: addressText.min(1) });

/** UTC, ISO 8601. */
export const time = z.iso.datetime();

/**
 * What an edit is based on: the post's `editedAt` as the author knew it (null: never edited). The edit is refused where
 * the post has been edited since; without it, the last one to save wins.
 */
export const basedOn = z.object({ basedOn: time.nullable().optional() });

/** The opaque position behind the last item of a page; null when there is no more. */
export const nextCursor = z.string().nullable();
export const cursorQuery = z.string().max(200).optional();

/** A page of a list: its items, and where the next page begins. */
export const paged = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), nextCursor });

/** A text of several lines as members write it: trimmed, lengths in code points, no control characters. */
export function multiline({ max, required, tooLong }: { max: number; required: string; tooLong: string }) {
  return z
    .string({ error: required })
    .trim()
    .refine((text) => text !== '', required)
    .refine((text) => countCodePoints(text) <= max, tooLong)
    .refine((text) => !hasForbiddenCharacters(text), 'The text contains characters that cannot be shown');
}

/** A text of one line, by the same rules. */
export function singleLine({ max, required, tooLong }: { max: number; required: string; tooLong: string }) {
  return z
    .string({ error: required })
    .trim()
    .refine((text) => text !== '', required)
    .refine((text) => countCodePoints(text) <= max, tooLong)
    .refine((text) => !hasControlCharacters(text), 'The text contains characters that cannot be shown');
}

/** Who wrote a post. `authorId` is null where an archive names an author who has no account there any more. */
export const author = z.object({ authorId: id.nullable(), authorName: z.string() });

/** Where an imported post comes from, as its licence asks; null for posts written here. */
export const source = z
  .object({
    site: z.string(),
    /** The original post. */
    url: z.string(),
    authorUrl: z.string().nullable(),
    license: z.string(),
  })
  .nullable();
export type Source = z.infer<typeof source>;

export const voteDirection = z.enum(['up', 'down']);
export type VoteDirection = z.infer<typeof voteDirection>;

/** Counts of votes and the viewer's own. */
export const votes = z.object({
  upvotes: z.int().nonnegative(),
  downvotes: z.int().nonnegative(),
  myVote: voteDirection.nullable(),
});

/** The three kinds of posts; also the names of their tables. */
export type PostKind = 'question' | 'answer' | 'reply';

/** A signed token of a link in a mail. */
export const emailToken = z.object({ token: z.string().regex(/^[\w.-]{1,300}$/, 'is not one of ours') });
