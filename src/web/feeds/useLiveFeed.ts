import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { FeedEvent } from '#shared/events.ts';
import type { Feed } from '#shared/feeds.ts';
import type { QuestionCard, QuestionCards } from '#shared/questions.ts';
import { calmly } from '#web/platform/calmly.ts';
import { useLive } from '#web/platform/live.ts';
import { feedQuery } from './feed.ts';

type Pages = InfiniteData<QuestionCards, string | null>;

/**
 * Keeps a feed as it is on the server. Counts change in place. What would move under the reader's eyes waits, and its
 * number is returned with the way to bring it (UI.md: nothing jumps).
 */
export function useLiveFeed(feed: Feed): { waiting: number; show: () => void } {
  const client = useQueryClient();
  const [waiting, setWaiting] = useState<ReadonlySet<number>>(new Set());
  const key = feedQuery(feed).queryKey;
  const refetch = useMemo(
    () => calmly(() => void client.invalidateQueries({ queryKey: feedQuery(feed).queryKey }), 1500),
    [client, feed],
  );

  useLive('feeds', {
    heard(events) {
      for (const event of events) apply(event);
    },
    missed: refetch,
  });
  return { waiting: waiting.size, show };

  function show() {
    setWaiting(new Set());
    void client.invalidateQueries({ queryKey: key });
    window.scrollTo({ top: 0 });
  }

  function apply(event: FeedEvent) {
    switch (event.kind) {
      case 'question-posted':
        if (atTop()) refetch();
        else if (feed !== 'popular' && !holds(event.questionId))
          setWaiting((ids) => new Set(ids).add(event.questionId));
        return;
      case 'question-counted':
        patch((card) => (card.id === event.questionId ? { ...card, ...countsOf(event) } : card));
        // Only then can it have come, gone or moved.
        if (feed !== 'recent' && atTop()) refetch();
        return;
      case 'question-edited':
        if (holds(event.questionId)) refetch();
        return;
      case 'question-deleted':
        setWaiting((ids) => new Set([...ids].filter((id) => id !== event.questionId)));
        patch((card) => (card.id === event.questionId ? null : card));
    }
  }

  function holds(id: number): boolean {
    const pages = client.getQueryData<Pages>(key)?.pages ?? [];
    return pages.some((page) => page.items.some((card) => card.id === id));
  }

  function patch(change: (card: QuestionCard) => QuestionCard | null) {
    client.setQueryData<Pages>(key, (data) => {
      if (data === undefined) return data;
      const pages = data.pages.map((page) => ({
        ...page,
        items: page.items.map(change).filter((card) => card !== null),
      }));
      return { ...data, pages };
    });
  }
}

function countsOf({
  upvotes,
  downvotes,
  views,
  answerCount,
}: Extract<FeedEvent, { kind: 'question-counted' }>) {
  return { upvotes, downvotes, views, answerCount };
}

/** Nothing above the list's first card is out of view: what comes in first moves nothing being read. */
const atTop = () => window.scrollY < 80;
