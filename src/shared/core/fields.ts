import { z } from 'zod';
import type { ErrorCodeWith } from '#shared/errors.ts';
import { withCode } from './coded-error.ts';
import {
  countCodePoints,
  hasControlCharacters,
  hasForbiddenCharacters,
  hasVisibleCharacters,
} from './text.ts';

/** Ids are positive integers that fit a JavaScript number. */
export const id = z.int().positive();

/** An id in a URL, in its canonical form. */
export const idParam = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d{0,15}$/, withCode('id-not-valid'))
    .transform(Number)
    .pipe(z.int()),
});

/** Text in a URL. PostgreSQL cannot search for characters that it cannot store. */
export const addressText = z
  .string()
  .max(200)
  .refine((text) => !hasControlCharacters(text), withCode('characters-not-allowed'));

/** A tag in a URL. */
export const tagParam = z.object({ tag: addressText.min(1) });

/** UTC, ISO 8601. */
export const time = z.iso.datetime();

/**
 * The version an edit is based on: the post's `editedAt` that the author saw (null: never edited). The edit is refused
 * if the post has been edited since. Without it, the last edit wins.
 */
export const basedOn = z.object({ basedOn: time.nullable().optional() });

/** The opaque cursor after the last item of a page; null if there are no more. */
export const nextCursor = z.string().nullable();
export const cursorQuery = z.string().max(200).optional();

/** A page of a list: its items, and the cursor of the next page. */
export const paged = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), nextCursor });

/** The longest text, and the errors for none and for a longer one. */
type TextRules = { max: number; required: ErrorCodeWith<never>; tooLong: ErrorCodeWith<'max'> };

/** A multi-line text as members write it: trimmed, length in code points, no control characters. */
export function multiline({ max, required, tooLong }: TextRules) {
  return z
    .string(withCode(required))
    .trim()
    .refine(hasVisibleCharacters, withCode(required))
    .refine((text) => countCodePoints(text) <= max, withCode(tooLong, { max }))
    .refine((text) => !hasForbiddenCharacters(text), withCode('characters-not-allowed'));
}

/** A single-line text, by the same rules. */
export function singleLine({ max, required, tooLong }: TextRules) {
  return z
    .string(withCode(required))
    .trim()
    .refine(hasVisibleCharacters, withCode(required))
    .refine((text) => countCodePoints(text) <= max, withCode(tooLong, { max }))
    .refine((text) => !hasControlCharacters(text), withCode('characters-not-allowed'));
}

/** The author of a post by name. `authorId` is null if an archive names an author who has no account. */
export const namedAuthor = z.object({ authorId: id.nullable(), authorName: z.string() });

/** The avatar of a member: `/uploads/<avatar>/64x64.webp`, and 256x256 likewise; null for none. */
export const avatar = z.string().nullable();

/** The author of a post. `authorIsBot`: whether it is a service account, with which a program writes. */
export const author = namedAuthor.extend({ authorAvatar: avatar, authorIsBot: z.boolean() });

/** The source of an imported post, as its licence requires; null for posts written here. */
export const source = z
  .object({
    site: z.string(),
    /** URL of the original post. */
    url: z.string(),
    authorUrl: z.string().nullable(),
    license: z.string(),
  })
  .nullable();
export type Source = z.infer<typeof source>;

export const voteDirection = z.enum(['up', 'down']);
export type VoteDirection = z.infer<typeof voteDirection>;

/** The counts of votes and the viewer's own vote. */
export const votes = z.object({
  upvotes: z.int().nonnegative(),
  downvotes: z.int().nonnegative(),
  myVote: voteDirection.nullable(),
});

/** The three kinds of posts; also the names of their tables. */
export const postKind = z.enum(['question', 'answer', 'reply']);
export type PostKind = z.infer<typeof postKind>;

/** Identifies one post. */
export type PostRef = { kind: PostKind; id: number };

/** The signed token of a link in an email. */
export const emailToken = z.object({
  token: z.string().regex(/^[\w.-]{1,300}$/, withCode('link-token-not-valid')),
});
