import { type InfiniteData, type QueryKey, useQueryClient } from '@tanstack/react-query';
import type { FeedEvent } from '#shared/events.ts';
import type { QuestionCard, QuestionCards } from '#shared/questions.ts';
import { type Arrivals, useArrivals, useLiveEntry } from '#web/platform/live-list.ts';

type Posted = Extract<FeedEvent, { kind: 'question-posted' }>;
type Edited = Extract<FeedEvent, { kind: 'question-edited' }>;

/** The data with each card of it changed, and without those changed to null. */
export type ChangeCards<Data> = (data: Data, change: (card: QuestionCard) => QuestionCard | null) => Data;

export const changePages: ChangeCards<InfiniteData<QuestionCards>> = (data, change) => ({
  ...data,
  pages: data.pages.map((page) => ({
    ...page,
    items: page.items.map(change).filter((card) => card !== null),
  })),
});

export type LiveCards<Data> = {
  queryKey: QueryKey;
  changeCards: ChangeCards<Data>;
  /** Whether a question just asked belongs into the list; nothing does where this is left out. */
  takes?: (posted: Posted) => boolean;
  /** Whether an edited question belongs into a list that is made by tags; left out where edits change nothing about that. */
  keeps?: (edited: Edited) => boolean;
  /** Whether an edited question leaves the list for one of its topics. */
  hides?: (edited: Edited) => boolean;
  /** Counts decide what the list holds, in what order. */
  byCounts?: boolean;
};

/**
 * Keeps question cards as they are on the server: counts and edits change in place, what is deleted goes, and what is
 * new enters or waits.
 */
export function useLiveCards<Data>(list: LiveCards<Data>): Arrivals<number> {
  const { queryKey, changeCards, takes, keeps, hides, byCounts = false } = list;
  const client = useQueryClient();
  const arrivals = useArrivals(queryKey, 'question', holds);
  useLiveEntry('feeds', queryKey, { patch, heard, missed: arrivals.refresh });
  return arrivals;

  function patch(event: FeedEvent) {
    switch (event.kind) {
      case 'question-counted':
        return change(event.questionId, (card) => ({ ...card, ...countsOf(event) }));
      case 'question-solved':
        return change(event.questionId, (card) => ({ ...card, solved: event.solved }));
      case 'question-marked':
        return change(event.questionId, (card) => ({ ...card, duplicate: event.duplicate }));
      case 'question-edited':
        return change(event.questionId, (card) =>
          (keeps === undefined || keeps(event)) && hides?.(event) !== true
            ? { ...card, ...textOf(event) }
            : null,
        );
      case 'question-deleted':
        return change(event.questionId, () => null);
      case 'question-posted':
      case 'imported':
    }
  }

  function heard(event: FeedEvent) {
    switch (event.kind) {
      case 'question-posted':
        if (takes?.(event) === true) arrivals.arrive(event.questionId);
        else if (byCounts) arrivals.reorder();
        return;
      case 'question-edited':
        if (keeps?.(event) === true && reaches(event)) arrivals.arrive(event.questionId);
        return;
      case 'question-counted':
        if (byCounts) arrivals.reorder();
        return;
      case 'question-solved':
      case 'question-marked':
        return;
      case 'question-deleted':
        arrivals.leave(event.questionId);
        return;
      case 'imported':
        if (takes !== undefined) arrivals.arriveMany();
    }
  }

  function change(id: number, to: (card: QuestionCard) => QuestionCard | null) {
    client.setQueryData<Data>(
      queryKey,
      (data) => data && changeCards(data, (card) => (card.id === id ? to(card) : card)),
    );
  }

  function cards(): QuestionCard[] {
    const found: QuestionCard[] = [];
    const data = client.getQueryData<Data>(queryKey);
    if (data !== undefined)
      changeCards(data, (card) => {
        found.push(card);
        return card;
      });
    return found;
  }

  function holds(id: number): boolean {
    return cards().some((card) => card.id === id);
  }

  /** Whether a question of that time belongs among those loaded: the lists made by tags hold the newest first. */
  function reaches({ createdAt }: Edited): boolean {
    const oldest = cards().at(-1);
    return oldest === undefined || createdAt > oldest.createdAt;
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

function textOf({ title, excerpt, excerptCut, tags }: Edited) {
  return { title, excerpt, excerptCut, tags };
}
