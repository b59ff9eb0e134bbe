import { useMutation, useQueryClient } from '@tanstack/react-query';
import { countCodePoints, hasVisibleCharacters, tagKey } from '#shared/core/text.ts';
import { limits } from '#shared/core/limits.ts';
import type { HeldPostId } from '#shared/posts/held-posts.ts';
import { findTagsProblem, normalizeTag, parseTags } from '#shared/posts/tags.ts';
import { api, createIdempotencyKey, readJson } from '#web/core/api.ts';
import { translateCodedError, translateError } from '#web/core/errors.ts';
import { getRequestOptions } from '#web/core/send-or-queue.ts';
import { splitTags } from './tag-proposals.ts';

/**
 * A question as it is typed. `proposals`: see tag-proposals.ts. `key` is the idempotency key, so that a retry or a
 * double click posts it once.
 */
export type AskDraft = { title: string; content: string; tags: string; proposals: string; key: string };
type Posted = { id: number } | HeldPostId;
export type AskProblem = { field: 'title' | 'content' | 'tags' | null; message: string };

export const createAskDraft = (): AskDraft => ({
  title: '',
  content: '',
  tags: '',
  proposals: '',
  key: createIdempotencyKey(),
});

export const isEmptyAskDraft = ({ title, content, tags }: AskDraft): boolean =>
  title.trim() === '' && content.trim() === '' && tags.trim() === '';

/** The first rule that a draft breaks (docs/product.md 4.1); null if it can be posted. */
export function validateAskDraft({
  title,
  content,
  tags,
}: Pick<AskDraft, 'title' | 'content' | 'tags'>): AskProblem | null {
  if (!hasVisibleCharacters(title))
    return { field: 'title', message: translateError('question-fields-required') };
  if (!hasVisibleCharacters(content))
    return { field: 'content', message: translateError('question-fields-required') };
  if (countCodePoints(title.trim()) > limits.title)
    return { field: 'title', message: translateError('title-too-long', { max: limits.title }) };
  if (countCodePoints(content.trim()) > limits.details)
    return { field: 'content', message: translateError('details-too-long', { max: limits.details }) };
  const problem = findTagsProblem(parseTags(tags));
  return problem === null ? null : { field: 'tags', message: translateCodedError(problem) };
}

/** The functions are also called after the form is closed. */
export function usePostQuestion(
  memberId: number,
  after: { onPosted: (posted: Posted, sent: AskDraft) => void; onFailed: (error: Error) => void },
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ title, content, key, ...tags }: AskDraft): Promise<Posted> =>
      readJson(
        api.questions.$post(
          {
            header: { 'idempotency-key': key },
            json: { title: title.trim(), content: content.trim(), ...splitTags(tags) },
          },
          getRequestOptions(memberId),
        ),
      ),
    onSuccess: (posted, sent) => {
      after.onPosted(posted, sent);
      return queryClient.invalidateQueries({ queryKey: ['feed'] });
    },
    onError: after.onFailed,
  });
}

/** The tag being typed: the text after the last comma. */
export function getUnfinishedTag(typed: string): string {
  return normalizeTag(typed.slice(typed.lastIndexOf(',') + 1));
}

/** Adds a tag to the field, replacing the unfinished one that it completes. Ends with a comma for the next. */
export function insertTag(typed: string, tag: string): string {
  const unfinished = getUnfinishedTag(typed);
  const completes = unfinished !== '' && tagKey(tag).includes(tagKey(unfinished));
  const tagsBefore = parseTags(completes ? typed.slice(0, typed.lastIndexOf(',') + 1) : typed);
  const tags = [...tagsBefore.filter((each) => tagKey(each) !== tagKey(tag)), tag];
  return tags.length < limits.tagsPerQuestion ? `${tags.join(', ')}, ` : tags.join(', ');
}

/** Whether one more tag can be added. */
export function canAddTag(typed: string): boolean {
  const complete = getUnfinishedTag(typed) === '' ? parseTags(typed) : parseTags(typed).slice(0, -1);
  return complete.length < limits.tagsPerQuestion;
}

export function hasTag(typed: string, tag: string): boolean {
  return parseTags(typed).some((each) => tagKey(each) === tagKey(tag));
}
