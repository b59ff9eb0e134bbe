import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { AnswerSort } from '#shared/posts/answers.ts';
import type { QuestionEvent } from '#shared/core/events.ts';
import type { QuestionPage } from '#shared/posts/questions.ts';
import { throttle } from '#web/core/throttle.ts';
import { useLiveQuery } from '#web/core/live-list.ts';
import type { NewReplies } from './question-page-context.ts';
import { anchorOf, type PostRef } from '#web/posts/post-ref.ts';
import {
  setAcceptedAnswer,
  setAcceptedAnswerFirst,
  findPost,
  patchPost,
  newAnswerIndex,
  removeAnswer,
} from './question-page-data.ts';
import { updateCachedQuestion, questionKeys, questionQuery, type QuestionCache } from './question-cache.ts';
import { useNewReplies } from './useNewReplies.ts';

/** New answers that wait: the list leaves them out, also where they are loaded, until `show` brings them. */
export type NewAnswers = { pending: ReadonlySet<number>; show: () => void };

/**
 * Keeps a question's page as it is on the server: counts change in place, posts come, change and go. New answers and
 * replies that would push down what one reads wait (docs/product.md 16.6).
 * @param reveal brings one into view.
 */
export function useLiveQuestion(
  id: number,
  sort: AnswerSort,
  memberId: number,
  { cache, reveal }: { cache: QuestionCache; reveal: (post: PostRef) => void },
): { newAnswers: NewAnswers; newReplies: NewReplies } {
  const client = useQueryClient();
  const [pending, setPending] = useState<ReadonlySet<number>>(new Set());
  const refetch = useMemo(() => createRefetcher(client, id, sort), [client, id, sort]);
  useLiveQuery(`question:${id}`, questionQuery(id, sort).queryKey, { patch, heard, onMissed: refetch });
  const { newReplies, leaveOut, forget } = useNewReplies(reveal);
  return { newAnswers: { pending, show }, newReplies };

  function show() {
    const [first] = pending;
    setPending(new Set());
    refetch();
    // The newest ones come in at the top; elsewhere, and below the accepted one, the list can be long.
    const page = cache.read();
    if (page !== undefined && sort === 'newest' && newAnswerIndex(page) === 0)
      document.getElementById('answers')?.scrollIntoView({ block: 'start' });
    else if (first !== undefined) reveal({ kind: 'answer', id: first });
  }

  function patch(event: QuestionEvent) {
    if (event.kind === 'voted') {
      const { post: kind, id: postId, upvotes, downvotes } = event;
      change((page) => patchPost(page, { kind, id: postId }, { upvotes, downvotes }));
    }
    if (event.kind === 'viewed')
      change((page) => ({ ...page, question: { ...page.question, views: event.views } }));
    if (event.kind === 'accepted') {
      // Nothing moves under the reader: while the answers are seen they keep their places.
      const place =
        wouldPushDown(cache.read(), 0) || isListAboveViewport(cache.read())
          ? setAcceptedAnswer
          : setAcceptedAnswerFirst;
      change((page) => place(page, event.acceptedAnswerId));
    }
  }

  function change(to: (page: QuestionPage) => QuestionPage) {
    updateCachedQuestion(client, id, to);
  }

  function heard(event: QuestionEvent) {
    switch (event.kind) {
      case 'voted':
      case 'viewed':
        return;
      case 'accepted': {
        // One behind the first page.
        const { acceptedAnswerId } = event;
        if (acceptedAnswerId === null || isShown('answer', acceptedAnswerId)) return;
        if (!wouldPushDown(cache.read(), 0)) refetch();
        return;
      }
      case 'answer-posted':
        if (isShown('answer', event.answerId)) return;
        // One's own appears at once; it may be known here before its request is answered.
        if (event.authorId !== memberId && wouldPushDown(cache.read()))
          setPending((ids) => new Set(ids).add(event.answerId));
        else refetch();
        return;
      case 'reply-posted':
        if (isShown('reply', event.replyId)) return;
        if (event.authorId !== memberId) leaveOut(event);
        refetch();
        return;
      case 'answer-deleted':
        setPending((ids) => new Set([...ids].filter((each) => each !== event.answerId)));
        if (hasUnsentText()) return;
        // Those behind the first page are not fetched again.
        change((page) => removeAnswer(page, event.answerId));
        refetch();
        return;
      case 'reply-deleted':
        forget(event.replyId);
        if (!hasUnsentText()) refetch();
        return;
      case 'deleted':
        if (!hasUnsentText()) refetch();
        return;
      case 'edited':
      case 'answer-edited':
      case 'reply-edited':
        refetch();
    }
  }

  function isShown(kind: 'answer' | 'reply', postId: number): boolean {
    const page = cache.read();
    return page !== undefined && findPost(page, { kind, id: postId }) !== undefined;
  }
}

/**
 * Fetches the page again soon. A member's own click gives a running fetch up (question-query.ts), and with it what it
 * would have brought: then it is done once more.
 */
function createRefetcher(client: QueryClient, id: number, sort: AnswerSort): () => void {
  const refetchUntilFresh = async () => {
    await client.invalidateQueries({ queryKey: questionKeys.one(id) });
    const state = client.getQueryState(questionQuery(id, sort).queryKey);
    if (state?.isInvalidated === true && state.error === null) refetch();
  };
  const refetch = throttle(() => void refetchUntilFresh(), 800);
  return refetch;
}

/**
 * What is being answered must not vanish under somebody's hands, and their words with it: they hear of the deletion when
 * they post, and keep what they wrote.
 */
function hasUnsentText(): boolean {
  const fields = document.querySelectorAll<HTMLTextAreaElement>('main textarea');
  return [...fields].some((field) => field.value.trim() !== '');
}

/**
 * Whether an answer would come in where it pushes down what is being read: below it in the order, and in view.
 * @param place where in the list; else where a new one belongs.
 */
function wouldPushDown(page: QuestionPage | undefined, place?: number): boolean {
  if (page === undefined) return false;
  const below = page.answers.items
    .slice(place ?? newAnswerIndex(page))
    .map(({ id }) => document.getElementById(anchorOf({ kind: 'answer', id })))
    // Those that wait are loaded, and not shown.
    .find((element) => element !== null);
  if (below === undefined) return false;
  const { top } = below.getBoundingClientRect();
  return top >= 0 && top < window.innerHeight - 80;
}

/** Whether the list of answers begins above what is seen. */
function isListAboveViewport(page: QuestionPage | undefined): boolean {
  const [first] = page?.answers.items ?? [];
  const element = first && document.getElementById(anchorOf({ kind: 'answer', id: first.id }));
  return element != null && element.getBoundingClientRect().top < 0;
}
