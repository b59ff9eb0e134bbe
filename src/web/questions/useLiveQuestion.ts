import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { QuestionEvent } from '#shared/events.ts';
import { calmly } from '#web/platform/calmly.ts';
import { useLive } from '#web/platform/live.ts';
import { findPost, patchPost } from '#web/posts/question-page.ts';
import { questionQuery, type QuestionCache } from '#web/posts/question-query.ts';

/**
 * Keeps a question's page as it is on the server: counts change in place, posts come, change and go. New answers that
 * would push down what one reads wait; their number is returned with the way to bring them (UI.md: nothing jumps).
 */
export function useLiveQuestion(id: number, cache: QuestionCache): { waiting: number; show: () => void } {
  const client = useQueryClient();
  const [waiting, setWaiting] = useState<ReadonlySet<number>>(new Set());
  const refetch = useMemo(
    () => calmly(() => void client.invalidateQueries({ queryKey: questionQuery(id).queryKey }), 800),
    [client, id],
  );

  useLive(`question:${id}`, {
    heard(events) {
      for (const event of events) apply(event);
    },
    missed: refetch,
  });
  return { waiting: waiting.size, show };

  function show() {
    setWaiting(new Set());
    refetch();
    document.getElementById('answers')?.scrollIntoView({ block: 'start' });
  }

  function apply(event: QuestionEvent) {
    switch (event.kind) {
      case 'voted': {
        const { post: kind, id: postId, upvotes, downvotes } = event;
        void cache.change((page) => patchPost(page, { kind, id: postId }, { upvotes, downvotes }));
        return;
      }
      case 'viewed':
        void cache.change((page) => ({ ...page, question: { ...page.question, views: event.views } }));
        return;
      case 'answer-posted':
        if (shows('answer', event.answerId)) return;
        if (answersAreInView()) setWaiting((ids) => new Set(ids).add(event.answerId));
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
