import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { AnswerSort } from '#shared/posts/answers.ts';
import type { QuestionEvent } from '#shared/core/events.ts';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import { throttle } from '#web/core/timing.ts';
import { useLiveQuery } from '#web/core/live-query.ts';
import type { NewReplies } from './question-page-context.ts';
import { anchorOf } from '#web/posts/post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import {
  setAcceptedAnswer,
  setAcceptedAnswerFirst,
  findPost,
  findThread,
  patchPost,
  newAnswerIndex,
  removeAnswer,
} from './question-page-data.ts';
import { updateCachedQuestion, questionKeys, questionQuery, type QuestionCache } from './question-cache.ts';
import { useNewReplies } from './useNewReplies.ts';

/** New answers that are held back: the list omits them, even when they are loaded, until `show` is called. */
export type NewAnswers = { pending: ReadonlySet<number>; show: () => void };

/**
 * Updates a question's page live: counts change in place, and posts are added, changed and removed. New answers and
 * replies that would push down the text being read are held back (docs/product.md 16.6).
 * @param reveal scrolls to a post.
 */
export function useLiveQuestion(
  { id, sort, after }: { id: number; sort: AnswerSort; after: string | null },
  memberId: number,
  { cache, reveal }: { cache: QuestionCache; reveal: (post: PostRef) => void },
): { newAnswers: NewAnswers; newReplies: NewReplies } {
  const client = useQueryClient();
  const [pending, setPending] = useState<ReadonlySet<number>>(new Set());
  const refetch = useMemo(() => createRefetcher(client, { id, sort, after }), [client, id, sort, after]);
  useLiveQuery(`question:${id}`, questionQuery(id, sort, after).queryKey, {
    patch,
    onEvent: handleEvent,
    onMissed: refetch,
  });
  const { newReplies, holdBack, forget } = useNewReplies(reveal);
  return { newAnswers: { pending, show }, newReplies };

  function show() {
    const [first] = pending;
    setPending(new Set());
    refetch();
    // With 'newest', new answers are at the top. In other orders, and below an accepted answer, the list can be long.
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
      // While the answers are in view they hold their positions, so that nothing moves.
      const applyAcceptance =
        wouldPushDown(cache.read(), 0) || isListAboveViewport(cache.read())
          ? setAcceptedAnswer
          : setAcceptedAnswerFirst;
      change((page) => applyAcceptance(page, event.acceptedAnswerId));
    }
  }

  function change(to: (page: QuestionPageData) => QuestionPageData) {
    updateCachedQuestion(client, id, to);
  }

  function handleEvent(event: QuestionEvent) {
    switch (event.kind) {
      case 'voted':
      case 'viewed':
        return;
      case 'accepted': {
        // The accepted answer is on a later page.
        const { acceptedAnswerId } = event;
        if (acceptedAnswerId === null || isShown('answer', acceptedAnswerId)) return;
        if (!wouldPushDown(cache.read(), 0)) refetch();
        return;
      }
      case 'answer-posted': {
        const answer = { kind: 'answer', id: event.answerId } as const;
        if (isShown('answer', answer.id)) {
          // `addAnswer` may have left it out of the count.
          if (cache.read()?.answers.nextCursor != null) refetch();
          return;
        }
        // The viewer's own answer appears immediately. Its event can arrive before the response to its request.
        // A page after the first one shows no new answers at its top.
        const isHeldBack = after === null && event.authorId !== memberId && !hasOpenForm(answer);
        if (isHeldBack && wouldPushDown(cache.read())) setPending((ids) => new Set(ids).add(event.answerId));
        else refetch();
        return;
      }
      case 'reply-posted':
        if (isShown('reply', event.replyId)) return;
        if (
          event.authorId !== memberId &&
          !hasOpenForm({ kind: 'reply', id: event.replyId }) &&
          isLoadedToEnd(event.answerId)
        )
          holdBack(event);
        refetch();
        return;
      case 'answer-deleted':
        setPending((ids) => new Set([...ids].filter((each) => each !== event.answerId)));
        change((page) => removeAnswer(page, event.answerId));
        refetch();
        return;
      case 'reply-deleted':
        forget(event.replyId);
        refetch();
        return;
      case 'deleted':
      case 'edited':
      case 'answer-edited':
      case 'reply-edited':
        refetch();
    }
  }

  /** Whether the page shows the end of a thread, where new replies appear. */
  function isLoadedToEnd(answerId: number | null): boolean {
    const page = cache.read();
    return page !== undefined && findThread(page, answerId)?.nextCursor === null;
  }

  function isShown(kind: 'answer' | 'reply', postId: number): boolean {
    const page = cache.read();
    return page !== undefined && findPost(page, { kind, id: postId }) !== undefined;
  }
}

/**
 * Refetches the page soon. A click of the member cancels a running fetch (question-cache.ts) and loses its result, so
 * it is repeated.
 */
function createRefetcher(
  client: QueryClient,
  { id, sort, after }: { id: number; sort: AnswerSort; after: string | null },
): () => void {
  const refetchUntilFresh = async () => {
    await client.invalidateQueries({ queryKey: questionKeys.one(id) });
    const state = client.getQueryState(questionQuery(id, sort, after).queryKey);
    if (state?.isInvalidated === true && state.error === null) refetch();
  };
  const refetch = throttle(() => void refetchUntilFresh(), 800);
  return refetch;
}

/**
 * Whether a new answer would push down visible answers: the next answer in the order is in view.
 * @param place the index in the list; by default where a new answer belongs.
 */
function wouldPushDown(page: QuestionPageData | undefined, place?: number): boolean {
  if (page === undefined) return false;
  const below = page.answers.items
    .slice(place ?? newAnswerIndex(page))
    .map(({ id }) => document.getElementById(anchorOf({ kind: 'answer', id })))
    // Answers that are held back are loaded but not rendered.
    .find((element) => element !== null);
  if (below === undefined) return false;
  const { top } = below.getBoundingClientRect();
  return top >= 0 && top < window.innerHeight - 80;
}

/** Whether the page shows a form of a deleted post, which is restored now. Holding it back would remove the form. */
function hasOpenForm(post: PostRef): boolean {
  const place = document.getElementById(anchorOf(post))?.closest('[data-deleted]');
  return place?.querySelector('form') != null;
}

/** Whether the list of answers starts above the viewport. */
function isListAboveViewport(page: QuestionPageData | undefined): boolean {
  const [first] = page?.answers.items ?? [];
  const element = first && document.getElementById(anchorOf({ kind: 'answer', id: first.id }));
  return element != null && element.getBoundingClientRect().top < 0;
}
