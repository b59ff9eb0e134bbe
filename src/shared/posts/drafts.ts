import { z } from 'zod';
import { draftHeader, draftTargetPattern } from './drafts-targets.ts';
import { id, time } from '#shared/core/fields.ts';

export { draftHeader, draftTargets } from './drafts-targets.ts';

export const draftTarget = z.string().max(60).regex(draftTargetPattern);

/** What the form holds, by the names of its fields, as it was typed: nothing is trimmed, no rule holds yet. */
export const draftFields = z
  .record(z.string().regex(/^[a-zA-Z]{1,30}$/), z.string().nullable())
  .refine((fields) => Object.keys(fields).length <= 12, 'A draft has up to 12 fields')
  .refine(
    (fields) => Object.values(fields).every((text) => text === null || isStorable(text)),
    'A draft cannot hold NUL characters or halves of characters',
  );
export type DraftFields = z.infer<typeof draftFields>;

/** Bytes of a draft's fields as JSON: an answer of the greatest length fits in any language. */
export const maxDraftBytes = 200_000;

/** Names a draft, and what becomes of it: the idempotency key of its post. */
const key = z.string().regex(/^[\w-]{8,100}$/);
const version = id;

export const draftSave = z.object({
  key,
  fields: draftFields,
  /** The version that the member had in front of them as they typed this; null where there was none. */
  basedOn: version.nullable(),
  /** Which browser writes. It replaces what it wrote itself before, for the answer to that may have been lost. */
  clientId: key,
  /** Grows with each change in that browser: of two requests that overtake each other the later change stays. */
  sequence: z.int().positive(),
});
export type DraftSave = z.infer<typeof draftSave>;

/** How a draft came to its end: as a post, or thrown away. */
export const draftEnd = z.enum(['posted', 'discarded']);

/** What the server knows of a place. Without a draft `fields` is null; `version` is null where there never was one. */
export const draftState = z.object({
  target: z.string(),
  version: version.nullable(),
  key: z.string().nullable(),
  fields: z.record(z.string(), z.string().nullable()).nullable(),
  ended: draftEnd.nullable(),
  /** Which browser wrote it, and after which of its changes. */
  clientId: z.string().nullable(),
  sequence: z.int().nullable(),
  updatedAt: time.nullable(),
});
export type DraftState = z.infer<typeof draftState>;

/** A draft in the list of the member's. */
export const draftSummary = z.object({
  target: z.string(),
  version,
  updatedAt: time,
  /** The title that is being written, where the form has one. */
  title: z.string().nullable(),
  /** The first 200 characters of the text. */
  excerpt: z.string(),
  /** The question it belongs to; null for a new question, and where the question is gone. */
  question: z.object({ id, title: z.string() }).nullable(),
});
export type DraftSummary = z.infer<typeof draftSummary>;

/** All drafts of the member, the latest first. */
export const drafts = z.object({ items: z.array(draftSummary) });

export const draftHeaders = z.object({ [draftHeader]: key.optional() });

/** Members keep so many drafts; the oldest goes when there is one more. */
export const maxDrafts = 100;

/** PostgreSQL holds no NUL, and UTF-8 no lone surrogates. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
