import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { limits } from '#shared/core/limits.ts';
import { addressText } from '#shared/core/fields.ts';
import { countCodePoints, hasControlCharacters, hasForbiddenCharacters } from '#shared/core/text.ts';
import { reasonText } from './moderation.ts';

/** What moderators write about a tag. An empty description shows the default one; an empty text shows none. */
export const tagTexts = z.object({
  description: z
    .string()
    .trim()
    .refine(
      (text) => countCodePoints(text) <= limits.tagDescription,
      withCode('text-too-long', { max: limits.tagDescription }),
    )
    .refine((text) => !hasControlCharacters(text), withCode('characters-not-allowed')),
  /** Markdown. */
  about: z
    .string()
    .trim()
    .refine(
      (text) => countCodePoints(text) <= limits.tagAbout,
      withCode('text-too-long', { max: limits.tagAbout }),
    )
    .refine((text) => !hasForbiddenCharacters(text), withCode('characters-not-allowed')),
});
export type TagTexts = z.infer<typeof tagTexts>;

export const tagTextsDraft = tagTexts.extend({
  /** The texts that the moderator has seen. Others are not replaced. Null: the last moderator wins. */
  basedOn: z.object({ description: z.string(), about: z.string() }).nullish(),
});
export type TagTextsDraft = z.infer<typeof tagTextsDraft>;

/** Merges a tag into another one, or renames it. */
export const tagChangeDraft = z.object({
  kind: z.enum(['merge', 'rename']),
  tag: addressText.min(1),
  /** The other tag, or the new name. */
  to: addressText.min(1),
  reason: reasonText(z.string()).default(''),
  /** Whether the old name leads to the tag. If false, it is removed everywhere but in the moderators' view of the log. */
  keepSynonym: z.boolean().default(true),
});
export type TagChangeDraft = z.infer<typeof tagChangeDraft>;

/** How a synonym is removed. Without `keepName`, the name is removed everywhere but in the moderators' view of the log. */
export const synonymRemovalQuery = z.object({ keepName: z.enum(['true', 'false']).default('true') });

/** A tag as moderators edit it. */
export const managedTag = tagTexts.extend({
  name: z.string(),
  questionsCount: z.int().nonnegative(),
  followersCount: z.int().nonnegative(),
  /** Members who muted it. */
  mutesCount: z.int().nonnegative(),
  /** Other names that lead to it. */
  synonyms: z.array(z.string()),
  /** A merge of or into the tag, or a renaming of it, that is running. */
  change: z
    .object({
      kind: tagChangeDraft.shape.kind,
      /** The merged tag. */
      from: z.string(),
      questions: z.int().nonnegative(),
      questionsDone: z.int().nonnegative(),
    })
    .nullable(),
});
export type ManagedTag = z.infer<typeof managedTag>;
