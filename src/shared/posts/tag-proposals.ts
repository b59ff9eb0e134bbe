import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { limits } from '#shared/core/limits.ts';
import { countCodePoints, hasControlCharacters } from '#shared/core/text.ts';
import { questionDraft, questionEdit } from './questions.ts';
import { findTagsProblem, normalizeTag } from './tags.ts';

/** A tag that does not exist yet, and why the member needs it. */
const proposedTag = z.object({
  name: z
    .string()
    .max(1000)
    .transform(normalizeTag)
    .superRefine((name, context) => {
      const problem = findTagsProblem([name]);
      if (problem !== null)
        context.addIssue({ code: 'custom', message: problem.code, params: { ...problem.params } });
    })
    .refine((name) => name !== '' && !name.includes(','), withCode('tag-name-not-valid')),
  reason: z
    .string()
    .trim()
    .refine(
      (text) => countCodePoints(text) <= limits.tagProposalReason,
      withCode('text-too-long', { max: limits.tagProposalReason }),
    )
    .refine((text) => !hasControlCharacters(text), withCode('characters-not-allowed'))
    .default(''),
});
export type ProposedTag = z.infer<typeof proposedTag>;

/** The tags that the author of a question proposes with it (docs/product.md 9.11). */
const proposals = z.object({ proposedTags: z.array(proposedTag).max(limits.tagsPerQuestion).optional() });

export const newQuestion = questionDraft.extend(proposals.shape);
export type NewQuestionDraft = z.infer<typeof newQuestion>;

/** An edit by the author. */
export const ownQuestionEdit = questionEdit.extend(proposals.shape);
export type OwnQuestionEdit = z.infer<typeof ownQuestionEdit>;
