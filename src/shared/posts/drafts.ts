import { z } from 'zod';
import { draftHeader, draftTargetPattern } from './drafts-targets.ts';
import { withCode } from '#shared/core/coded-error.ts';
import { id, time } from '#shared/core/fields.ts';

export { draftHeader, draftTargets } from './drafts-targets.ts';

export const draftTarget = z.string().max(60).regex(draftTargetPattern);

/** The fields of the form by name, as typed: not trimmed or validated. */
export const draftFields = z
  .record(z.string().regex(/^[a-zA-Z]{1,30}$/), z.string().nullable())
  .refine((fields) => Object.keys(fields).length <= 12, withCode('draft-too-many-fields', { max: 12 }))
  .refine(
    (fields) => Object.values(fields).every((text) => text === null || isStorable(text)),
    withCode('draft-characters-not-allowed'),
  );
export type DraftFields = z.infer<typeof draftFields>;

/** Bytes of a draft's fields as JSON: an answer of the maximum length fits in any language. */
export const maxDraftBytes = 200_000;

/** The key of a draft, which becomes the idempotency key of its post. */
const key = z.string().regex(/^[\w-]{8,100}$/);
const version = id;

export const draftSave = z.object({
  key,
  fields: draftFields,
  /** The version that the member had loaded while typing; null for none. */
  basedOn: version.nullable(),
  /**
   * The browser that saves. It may overwrite its own last version, because the response to that can be lost. With an
   * API token, the server takes the token instead.
   */
  clientId: key,
  /** Increases with each change in that browser: of two requests in the wrong order, the later change wins. */
  sequence: z.int().positive(),
});
export type DraftSave = z.infer<typeof draftSave>;

/** How a draft ended: posted or discarded. */
export const draftEnd = z.enum(['posted', 'discarded']);

/** The stored state of a target. Without a draft, `fields` is null; `version` is null if there never was one. */
export const draftState = z.object({
  target: z.string(),
  version: version.nullable(),
  key: z.string().nullable(),
  fields: z.record(z.string(), z.string().nullable()).nullable(),
  ended: draftEnd.nullable(),
  /** The browser that saved it, and the number of its change. */
  clientId: z.string().nullable(),
  sequence: z.int().nullable(),
  updatedAt: time.nullable(),
});
export type DraftState = z.infer<typeof draftState>;

/** A draft in the member's list. */
export const draftSummary = z.object({
  target: z.string(),
  version,
  updatedAt: time,
  /** The title in the form, if it has one. */
  title: z.string().nullable(),
  /** The first 200 characters of the text. */
  excerpt: z.string(),
  /** The question it belongs to; null for a new question, and if the question was deleted. */
  question: z.object({ id, title: z.string() }).nullable(),
});
export type DraftSummary = z.infer<typeof draftSummary>;

/** All drafts of the member, latest first. */
export const drafts = z.object({ items: z.array(draftSummary) });

export const draftHeaders = z.object({ [draftHeader]: key.optional() });

/** Drafts per member; a further one deletes the oldest. */
export const maxDrafts = 100;

/** PostgreSQL cannot store NUL, and UTF-8 cannot encode lone surrogates. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
