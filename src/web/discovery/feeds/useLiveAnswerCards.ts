import type { AnswerCard } from '#shared/posts/cards.ts';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import type { AnswersEvent } from '#shared/core/events.ts';
import { type PendingNewItems, useLiveList } from '#web/core/live-list.ts';
import { useLiveQuery } from '#web/core/live-query.ts';

export type LiveAnswerCards<Data> = {
  queryKey: QueryKey;
  /** Maps each card of the data; cards mapped to null are removed. */
  mapCards: (data: Data, change: (card: AnswerCard) => AnswerCard | null) => Data;
  /** Whether a new answer belongs to the list; if omitted, none does. */
  belongs?: (posted: Extract<AnswersEvent, { kind: 'answer-posted' }>) => boolean;
};

/** Updates answer cards live, as `useLiveQuestionCards` does for questions. */
export function useLiveAnswerCards<Data>({
  queryKey,
  mapCards,
  belongs,
}: LiveAnswerCards<Data>): PendingNewItems {
  const client = useQueryClient();
  const arrivals = useLiveList(queryKey, 'answer', isListed);
  useLiveQuery('answers', queryKey, { patch, onEvent: handleEvent, onMissed: arrivals.refresh });
  return arrivals;

  function patch(event: AnswersEvent) {
    switch (event.kind) {
      case 'answer-counted': {
        const { answerId, upvotes, downvotes } = event;
        return change((card) => (card.id === answerId ? { ...card, upvotes, downvotes } : card));
      }
      case 'answer-edited': {
        const { answerId, excerpt, excerptCut } = event;
        return change((card) =>
          card.id === answerId && excerpt !== undefined ? { ...card, excerpt, excerptCut } : card,
        );
      }
      case 'answer-accepted': {
        const { questionId, acceptedAnswerId } = event;
        return change((card) =>
          card.questionId === questionId ? { ...card, accepted: card.id === acceptedAnswerId } : card,
        );
      }
      case 'answer-deleted':
        return change((card) => (card.id === event.answerId ? null : card));
      case 'question-edited': {
        const { questionId, title } = event;
        return change((card) =>
          card.questionId === questionId && title !== undefined ? { ...card, questionTitle: title } : card,
        );
      }
      case 'question-deleted':
        return change((card) => (card.questionId === event.questionId ? null : card));
      case 'answer-posted':
      case 'imported':
    }
  }

  function handleEvent(event: AnswersEvent) {
    if (event.kind === 'answer-posted' && belongs?.(event) === true) arrivals.addItem(event.answerId);
    if (event.kind === 'answer-deleted') arrivals.removeItem(event.answerId);
    if (event.kind === 'imported' && belongs !== undefined) arrivals.addMany();
  }

  function change(to: (card: AnswerCard) => AnswerCard | null) {
    client.setQueryData<Data>(queryKey, (data) => data && mapCards(data, to));
  }

  function isListed(id: number): boolean {
    let listed = false;
    const data = client.getQueryData<Data>(queryKey);
    if (data !== undefined)
      mapCards(data, (card) => {
        listed ||= card.id === id;
        return card;
      });
    return listed;
  }
}
