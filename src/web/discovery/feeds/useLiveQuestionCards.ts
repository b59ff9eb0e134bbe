import { announcementsKey } from '#web/discovery/announcements/announcements.ts';
import { type InfiniteData, type QueryKey, useQueryClient } from '@tanstack/react-query';
import type { FeedEvent } from '#shared/core/events.ts';
import type { QuestionCard, QuestionCards } from '#shared/posts/questions.ts';
import { type LiveList, useLiveList } from '#web/core/live-list.ts';
import { useLiveQuery } from '#web/core/live-query.ts';

type QuestionPosted = Extract<FeedEvent, { kind: 'question-posted' }>;
type QuestionCounted = Extract<FeedEvent, { kind: 'question-counted' }>;
type QuestionEdited = Extract<FeedEvent, { kind: 'question-edited' }>;

/** Maps each card of the data; cards mapped to null are removed. */
export type MapCards<Data> = (data: Data, change: (card: QuestionCard) => QuestionCard | null) => Data;

export const mapQuestionCards: MapCards<InfiniteData<QuestionCards>> = (data, change) => ({
  ...data,
  pages: data.pages.map((page) => ({
    ...page,
    items: page.items.map(change).filter((card) => card !== null),
  })),
});

export type LiveQuestionCards<Data> = {
  queryKey: QueryKey;
  mapCards: MapCards<Data>;
  /** Whether a new question belongs to the list; if omitted, none does. */
  belongs?: (posted: QuestionPosted) => boolean;
  /** Whether an edited question belongs to a list that is selected by tags; omitted if edits do not matter. */
  belongsAfterEdit?: (edited: QuestionEdited) => boolean;
  /** Whether an edited question leaves the list because of a muted tag. */
  isMutedAfterEdit?: (edited: QuestionEdited) => boolean;
  /** The count that decides which questions the list contains and their order. */
  sortedBy?: QuestionCounted['by'] | undefined;
};

/**
 * Updates question cards live: counts and edits change in place, deleted questions disappear, and new ones appear
 * immediately or are held back.
 */
export function useLiveQuestionCards<Data>(list: LiveQuestionCards<Data>): LiveList<number> {
  const { queryKey, mapCards, belongs, belongsAfterEdit, isMutedAfterEdit, sortedBy } = list;
  const client = useQueryClient();
  const arrivals = useLiveList(queryKey, 'question', isListed);
  useLiveQuery('feeds', queryKey, { patch, onEvent: handleEvent, onMissed: arrivals.refresh });
  return arrivals;

  function patch(event: FeedEvent) {
    switch (event.kind) {
      case 'question-counted':
        return change(event.questionId, (card) => ({ ...card, ...pickCounts(event) }));
      case 'question-solved':
        return change(event.questionId, (card) => ({ ...card, solved: event.solved }));
      case 'question-duplicate-changed':
        return change(event.questionId, (card) => ({ ...card, duplicate: event.duplicate }));
      case 'question-edited':
        return change(event.questionId, (card) =>
          (belongsAfterEdit === undefined || belongsAfterEdit(event)) && isMutedAfterEdit?.(event) !== true
            ? { ...card, ...pickTexts(event) }
            : null,
        );
      case 'question-deleted':
        return change(event.questionId, () => null);
      case 'question-posted':
      case 'announcements-changed':
      case 'imported':
    }
  }

  function handleEvent(event: FeedEvent) {
    switch (event.kind) {
      case 'question-posted':
        if (belongs?.(event) === true) arrivals.addItem(event.questionId);
        else if (sortedBy !== undefined) arrivals.reorder();
        return;
      case 'question-edited':
        if (belongsAfterEdit?.(event) === true && isAmongLoaded(event)) arrivals.addItem(event.questionId);
        return;
      case 'question-counted':
        if (event.by === sortedBy) arrivals.reorder();
        return;
      case 'question-solved':
      case 'question-duplicate-changed':
        return;
      case 'announcements-changed':
        void client.invalidateQueries({ queryKey: announcementsKey });
        return;
      case 'question-deleted':
        arrivals.removeItem(event.questionId);
        return;
      case 'imported':
        if (belongs !== undefined) arrivals.addMany();
    }
  }

  function change(id: number, to: (card: QuestionCard) => QuestionCard | null) {
    client.setQueryData<Data>(
      queryKey,
      (data) => data && mapCards(data, (card) => (card.id === id ? to(card) : card)),
    );
  }

  function cards(): QuestionCard[] {
    const loaded: QuestionCard[] = [];
    const data = client.getQueryData<Data>(queryKey);
    if (data !== undefined)
      mapCards(data, (card) => {
        loaded.push(card);
        return card;
      });
    return loaded;
  }

  function isListed(id: number): boolean {
    return cards().some((card) => card.id === id);
  }

  /** Whether a question of that age is within the loaded part: lists selected by tags are sorted newest first. */
  function isAmongLoaded({ createdAt }: QuestionEdited): boolean {
    const oldest = cards().at(-1);
    return oldest === undefined || createdAt > oldest.createdAt;
  }
}

function pickCounts({ upvotes, downvotes, views, answerCount }: QuestionCounted) {
  return { upvotes, downvotes, views, answerCount };
}

function pickTexts({ title, excerpt, excerptCut, tags }: QuestionEdited) {
  return title === undefined ? { tags } : { title, excerpt, excerptCut, tags };
}
