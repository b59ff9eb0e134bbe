import { queryOptions, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AnswerSort } from '#shared/posts/answers.ts';
import type { QuestionPage } from '#shared/posts/questions.ts';
import { api, readJson as readBody } from '#web/core/api.ts';
import { addMoreAnswers, addMoreReplies, mergeFetchedPage } from './question-page-data.ts';

export const questionKeys = {
  all: ['question'] as const,
  /** One question in all orders that were looked at. */
  one: (id: number) => ['question', id] as const,
};

/** All that /question/:id shows with its answers in one order, in one entry of the cache. */
export function questionQuery(id: number, sort: AnswerSort) {
  return queryOptions({
    queryKey: [...questionKeys.one(id), sort],
    queryFn: async ({ signal, client, queryKey }) => {
      const fresh = await readBody(
        api.questions[':id'].$get({ param: { id: String(id) }, query: { sort } }, { init: { signal } }),
      );
      return mergeFetchedPage(client.getQueryData<QuestionPage>(queryKey), fresh);
    },
  });
}

export type QuestionCache = {
  /** What is shown; undefined while it is on its way. */
  read: () => QuestionPage | undefined;
  /** Shows a change at once, whatever the order. A fetch that is under way would bring back what was before, so it is given up. */
  update: (change: (page: QuestionPage) => QuestionPage) => Promise<void>;
  loadMoreAnswers: () => Promise<void>;
  /** @param answerId null for the replies to the question itself. */
  loadMoreReplies: (answerId: number | null) => Promise<void>;
  /** Asks the server again for what is shown. */
  refresh: () => Promise<void>;
  /** What lists and profiles show of this question is asked for again when they are next seen. */
  refreshLists: () => void;
  remove: () => void;
};

/** What the cache holds of one question, and what may be done to it. @param sort the order that is shown. */
export function useQuestionCache(id: number, sort: AnswerSort = 'newest'): QuestionCache {
  const client = useQueryClient();
  return useMemo(() => createQuestionCache(client, id, sort), [client, id, sort]);
}

export function createQuestionCache(
  client: QueryClient,
  id: number,
  sort: AnswerSort = 'newest',
): QuestionCache {
  const queryKey = questionKeys.one(id);
  const read = () => client.getQueryData(questionQuery(id, sort).queryKey);
  const update: QuestionCache['update'] = async (change) => {
    // One that brings another order for the first time has nothing older to bring back.
    await client.cancelQueries({ queryKey, predicate: ({ state }) => state.data !== undefined });
    updateCachedQuestion(client, id, change);
  };
  return {
    read,
    update,
    loadMoreAnswers: async () => {
      const cursor = read()?.answers.nextCursor ?? null;
      if (cursor === null) return;
      const more = await readBody(
        api.questions[':id'].answers.$get({ param: { id: String(id) }, query: { sort, cursor } }),
      );
      await update((page) => (page.sort === sort ? addMoreAnswers(page, more) : page));
    },
    loadMoreReplies: async (answerId) => {
      const page = read();
      const thread =
        answerId === null
          ? page?.replies
          : page?.answers.items.find((answer) => answer.id === answerId)?.replies;
      const cursor = thread?.nextCursor ?? null;
      if (cursor === null) return;
      const owner = answerId === null ? api.questions : api.answers;
      const more = await readBody(
        owner[':id'].replies.$get({ param: { id: String(answerId ?? id) }, query: { cursor } }),
      );
      await update((page) => addMoreReplies(page, answerId, more));
    },
    refresh: () => client.invalidateQueries({ queryKey }),
    refreshLists: () => {
      void client.invalidateQueries({
        predicate: ({ queryKey: [name] }) => name !== 'question' && name !== 'session',
      });
    },
    remove: () => client.removeQueries({ queryKey }),
  };
}

/** Changes what is shown of a question, in whatever order, without giving up a fetch. */
export function updateCachedQuestion(
  client: QueryClient,
  id: number,
  change: (page: QuestionPage) => QuestionPage,
): void {
  client.setQueriesData<QuestionPage>({ queryKey: questionKeys.one(id) }, (page) => page && change(page));
}
