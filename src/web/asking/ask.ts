import { useMutation, useQueryClient } from '@tanstack/react-query';
import { codePoints } from '#shared/text.ts';
import { limits } from '#shared/limits.ts';
import { askMessages } from '#shared/ask-messages.ts';
import { parseTags, tagsProblem } from '#shared/tags.ts';
import { api, newIdempotencyKey, read } from '#web/platform/api.ts';
import { said } from '#web/platform/said.ts';

/** A question as it is typed. `key` makes a retry, and a double click, post it once. */
export type AskDraft = { title: string; content: string; tags: string; key: string };
export type AskProblem = { field: 'title' | 'content' | 'tags' | null; message: string };

export const newAskDraft = (): AskDraft => ({ title: '', content: '', tags: '', key: newIdempotencyKey() });

export const isEmptyAskDraft = ({ title, content, tags }: AskDraft): boolean =>
  title.trim() === '' && content.trim() === '' && tags.trim() === '';

/** The first rule a draft breaks (docs/product.md 4.1); null when it can be posted. */
export function askProblem({ title, content, tags }: AskDraft): AskProblem | null {
  if (title.trim() === '') return { field: 'title', message: said(askMessages.required) };
  if (content.trim() === '') return { field: 'content', message: said(askMessages.required) };
  if (codePoints(title.trim()) > limits.title)
    return { field: 'title', message: said(askMessages.titleLong) };
  if (codePoints(content.trim()) > limits.details)
    return { field: 'content', message: said(askMessages.detailsLong) };
  const message = tagsProblem(parseTags(tags));
  return message === null ? null : { field: 'tags', message: said(message) };
}

export function useAsk() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ title, content, tags, key }: AskDraft) =>
      read(
        api.questions.$post({
          header: { 'idempotency-key': key },
          json: { title: title.trim(), content: content.trim(), tags: parseTags(tags) },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['feed'] }),
  });
}
