import { queryOptions, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { QuestionPage } from '#shared/questions.ts';
import { api, read as readBody } from '#web/platform/api.ts';
import { addMoreAnswers, addMoreReplies, keepLoaded } from './question-page.ts';

export const questionKeys = { all: ['question'] as const };

/** All that /question/:id shows, in one entry of the cache. */
export function questionQuery(id: number) {
  return queryOptions({
    queryKey: [...questionKeys.all, id],
    queryFn: async ({ signal, client, queryKey }) => {
      const fresh = await readBody(
        api.questions[':id'].$get({ param: { id: String(id) } }, { init: { signal } }),
      );
      return keepLoaded(client.getQueryData<QuestionPage>(queryKey), fresh);
    },
  });
}

export type QuestionCache = {
  read: () => QuestionPage | undefined;
  /** Shows a change at once. A fetch that is under way would bring back what was before, so it is given up. */
  change: (change: (page: QuestionPage) => QuestionPage) => Promise<void>;
  loadMoreAnswers: () => Promise<void>;
  /** @param answerId null for the replies to the question itself. */
  loadMoreReplies: (answerId: number | null) => Promise<void>;
  /** Asks the server again for what is shown. */
  refresh: () => Promise<void>;
  /** What lists and profiles show of this question is asked for again when they are next seen. */
  refreshLists: () => void;
  forget: () => void;
};

/** The cache entry of one question, and what may be done to it. */
export function useQuestionCache(id: number): QuestionCache {
  const client = useQueryClient();
  return useMemo(() => questionCache(client, id), [client, id]);
}

export function questionCache(client: QueryClient, id: number): QuestionCache {
  const { queryKey } = questionQuery(id);
  const read = () => client.getQueryData(queryKey);
  const change: QuestionCache['change'] = async (change) => {
    await client.cancelQueries({ queryKey });
    client.setQueryData(queryKey, (page) => (page === undefined ? undefined : change(page)));
  };
  return {
    read,
    change,
    loadMoreAnswers: async () => {
      const cursor = read()?.answers.nextCursor ?? null;
      if (cursor === null) return;
      const more = await readBody(
        api.questions[':id'].answers.$get({ param: { id: String(id) }, query: { cursor } }),
      );
      await change((page) => addMoreAnswers(page, more));
    },
    loadMoreReplies: async (answerId) => {
      const page = read();
      const thread =
        answerId === null
          ? page?.comments
          : page?.answers.items.find((answer) => answer.id === answerId)?.replies;
      const cursor = thread?.nextCursor ?? null;
      if (cursor === null) return;
      const owner = answerId === null ? api.questions : api.answers;
      const more = await readBody(
        owner[':id'].replies.$get({ param: { id: String(answerId ?? id) }, query: { cursor } }),
      );
      await change((page) => addMoreReplies(page, answerId, more));
    },
    refresh: () => client.invalidateQueries({ queryKey }),
    refreshLists: () => {
      void client.invalidateQueries({
        predicate: ({ queryKey: [name] }) => name !== 'question' && name !== 'session',
      });
    },
    forget: () => client.removeQueries({ queryKey }),
  };
}
