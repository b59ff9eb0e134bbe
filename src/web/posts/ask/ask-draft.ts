import { useMutation, useQueryClient } from '@tanstack/react-query';
import { countCodePoints } from '#shared/core/text.ts';
import { limits } from '#shared/core/limits.ts';
import { parseTags, findTagsProblem } from '#shared/posts/tags.ts';
import { api, createIdempotencyKey, readJson } from '#web/core/api.ts';
import { translateCodedError, translateError } from '#web/core/errors.ts';

/** A question as it is typed. `key` is the idempotency key, so that a retry or a double click posts it once. */
export type AskDraft = { title: string; content: string; tags: string; key: string };
export type AskProblem = { field: 'title' | 'content' | 'tags' | null; message: string };

export const createAskDraft = (): AskDraft => ({
  title: '',
  content: '',
  tags: '',
  key: createIdempotencyKey(),
});

export const isEmptyAskDraft = ({ title, content, tags }: AskDraft): boolean =>
  title.trim() === '' && content.trim() === '' && tags.trim() === '';

/** The first rule that a draft breaks (docs/product.md 4.1); null if it can be posted. */
export function validateAskDraft({ title, content, tags }: AskDraft): AskProblem | null {
  if (title.trim() === '') return { field: 'title', message: translateError('question-fields-required') };
  if (content.trim() === '') return { field: 'content', message: translateError('question-fields-required') };
  if (countCodePoints(title.trim()) > limits.title)
    return { field: 'title', message: translateError('title-too-long', { max: limits.title }) };
  if (countCodePoints(content.trim()) > limits.details)
    return { field: 'content', message: translateError('details-too-long', { max: limits.details }) };
  const problem = findTagsProblem(parseTags(tags));
  return problem === null ? null : { field: 'tags', message: translateCodedError(problem) };
}

export function usePostQuestion() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ title, content, tags, key }: AskDraft) =>
      readJson(
        api.questions.$post({
          header: { 'idempotency-key': key },
          json: { title: title.trim(), content: content.trim(), tags: parseTags(tags) },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['feed'] }),
  });
}
