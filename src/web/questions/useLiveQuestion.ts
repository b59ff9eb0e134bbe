import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { QuestionEvent } from '#shared/events.ts';
import type { QuestionPage } from '#shared/questions.ts';
import { calmly } from '#web/platform/calmly.ts';
import { useLiveEntry } from '#web/platform/live-list.ts';
import { findPost, patchPost } from '#web/posts/question-page.ts';
import { questionQuery, type QuestionCache } from '#web/posts/question-query.ts';

/**
 * Keeps a question's page as it is on the server: counts change in place, posts come, change and go. New answers that
 * would push down what one reads wait; their number is returned with the way to bring them (UI.md: nothing jumps).
 */
export function useLiveQuestion(
  id: number,
  cache: QuestionCache,
  memberId: number,
): { waiting: number; show: () => void } {
  const client = useQueryClient();
  const [waiting, setWaiting] = useState<ReadonlySet<number>>(new Set());
  const refetch = useMemo(() => refetcher(client, id), [client, id]);
  useLiveEntry(`question:${id}`, questionQuery(id).queryKey, { patch, heard, missed: refetch });
  return { waiting: waiting.size, show };

  function show() {
    setWaiting(new Set());
    refetch();
    document.getElementById('answers')?.scrollIntoView({ block: 'start' });
  }

  function patch(event: QuestionEvent) {
    if (event.kind === 'voted') {
      const { post: kind, id: postId, upvotes, downvotes } = event;
      change((page) => patchPost(page, { kind, id: postId }, { upvotes, downvotes }));
    }
    if (event.kind === 'viewed')
      change((page) => ({ ...page, question: { ...page.question, views: event.views } }));
  }

  function change(to: (page: QuestionPage) => QuestionPage) {
    client.setQueryData(questionQuery(id).queryKey, (page) => page && to(page));
  }

  function heard(event: QuestionEvent) {
    switch (event.kind) {
      case 'voted':
      case 'viewed':
        return;
      case 'answer-posted':
        if (shows('answer', event.answerId)) return;
        // One's own appears at once; it may be known here before its request is answered.
        if (event.authorId !== memberId && answersAreInView())
          setWaiting((ids) => new Set(ids).add(event.answerId));
        else refetch();
        return;
      case 'reply-posted':
        if (!shows('reply', event.replyId)) refetch();
        return;
      case 'answer-deleted':
        setWaiting((ids) => new Set([...ids].filter((each) => each !== event.answerId)));
        if (!isWriting()) refetch();
        return;
      case 'reply-deleted':
      case 'deleted':
        if (!isWriting()) refetch();
        return;
      case 'edited':
      case 'answer-edited':
      case 'reply-edited':
        refetch();
    }
  }

  function shows(kind: 'answer' | 'reply', postId: number): boolean {
    const page = cache.read();
    return page !== undefined && findPost(page, { kind, id: postId }) !== undefined;
  }
}

/**
 * Fetches the page again soon. A member's own click gives a running fetch up (question-query.ts), and with it what it
 * would have brought: then it is done once more.
 */
function refetcher(client: QueryClient, id: number): () => void {
  const { queryKey } = questionQuery(id);
  const fetchUnlessGivenUp = async () => {
    await client.invalidateQueries({ queryKey });
    const state = client.getQueryState(queryKey);
    if (state?.isInvalidated === true && state.error === null) refetch();
  };
  const refetch = calmly(() => void fetchUnlessGivenUp(), 800);
  return refetch;
}

/**
 * What is being answered must not vanish under somebody's hands, and their words with it: they hear of the deletion when
 * they post, and keep what they wrote.
 */
function isWriting(): boolean {
  const fields = document.querySelectorAll<HTMLTextAreaElement>('main textarea');
  return [...fields].some((field) => field.value.trim() !== '');
}

/** The top of the list is where a new answer would push down what is being read. */
function answersAreInView(): boolean {
  const heading = document.getElementById('answers');
  if (heading === null) return false;
  const list = heading.parentElement?.getBoundingClientRect();
  const top = heading.getBoundingClientRect().bottom;
  return list !== undefined && list.height > 120 && top >= 0 && top < window.innerHeight - 80;
}
