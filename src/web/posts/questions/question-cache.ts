import { queryOptions, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AnswerSort } from '#shared/posts/answers.ts';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import { combineQuestionPage } from '#shared/posts/questions-viewer.ts';
import { api, readJson as readBody } from '#web/core/api.ts';
import type { PostRef } from '#shared/core/fields.ts';
import type * as FurtherPosts from './further-posts.ts';
import { mergeFetchedPage } from './question-page-data.ts';

export const questionKeys = {
  all: ['question'] as const,
  /** One question in all orders that were viewed. */
  one: (id: number) => ['question', id] as const,
};

/** Loaded with the first 'Load more', and for pages that begin later. Before, no list has more than its first page. */
let furtherPosts: typeof FurtherPosts | undefined;
const loadFurtherPosts = async () => (furtherPosts ??= await import('./further-posts.ts'));

/**
 * All data of /question/:id with its answers in one order, as one cache entry.
 * @param after the cursor after which the answers begin; null for the first ones
 */
export function questionQuery(id: number, sort: AnswerSort, after: string | null = null) {
  return queryOptions({
    queryKey: [...questionKeys.one(id), sort, ...(after === null ? [] : [after])],
    queryFn: async ({ signal, client, queryKey }) => {
      const read = () => client.getQueryData<QuestionPageData>(queryKey);
      const firstPage = await fetchQuestionPage(id, { sort, after }, { signal });
      const before = read();
      if (after !== null && before !== undefined) await loadFurtherPosts();
      const fresh =
        before === undefined
          ? firstPage
          : await furtherPosts?.refetchFurtherPosts(before, firstPage, { signal });
      return mergeFetchedPage(read(), fresh ?? firstPage);
    },
  });
}

/** Fetches a page with no more than its first answers and replies. */
export async function fetchQuestionPage(
  id: number,
  { sort, after }: { sort: AnswerSort; after: string | null },
  init: { signal?: AbortSignal } = {},
): Promise<QuestionPageData> {
  const query = { sort, ...(after !== null && { after }) };
  const wanted = { param: { id: String(id) }, query };
  const [document, viewer] = await Promise.all([
    readBody(api.questions[':id'].$get(wanted, { init })),
    readBody(api.viewer.questions[':id'].$get(wanted, { init })),
  ]);
  return combineQuestionPage(document, viewer);
}

export type QuestionCache = {
  /** The cached page; undefined while it loads. */
  read: () => QuestionPageData | undefined;
  /** Applies an optimistic change in every order. Cancels a running fetch, which would bring back the old state. */
  update: (change: (page: QuestionPageData) => QuestionPageData) => Promise<void>;
  loadMoreAnswers: () => Promise<void>;
  /** @param answerId null for the comments on the question. */
  loadMoreReplies: (answerId: number | null) => Promise<void>;
  /**
   * Finds a post that the page lacks: loads the replies before it, or opens the page that begins with its answer.
   * Returns whether it is on this page; null if another page begins with its answer. A message says that there is no such
   * post, or that it could not be loaded.
   * @param openPage called with the cursor after which that page begins
   */
  findPost: (
    post: PostRef,
    isWanted: () => boolean,
    openPage: (start: string | null) => void,
  ) => Promise<boolean | null>;
  /** Refetches the page. */
  refresh: () => Promise<void>;
  /** Marks the lists and profiles that show this question as stale. They are refetched when they are next shown. */
  refreshLists: () => void;
  remove: () => void;
};

/**
 * Access to the cached page of one question.
 * @param sort the order shown.
 * @param after as in `questionQuery`
 */
export function useQuestionCache(
  id: number,
  sort: AnswerSort = 'newest',
  after: string | null = null,
): QuestionCache {
  const client = useQueryClient();
  return useMemo(() => createQuestionCache(client, id, sort, after), [client, id, sort, after]);
}

export function createQuestionCache(
  client: QueryClient,
  id: number,
  sort: AnswerSort = 'newest',
  after: string | null = null,
): QuestionCache {
  const queryKey = questionKeys.one(id);
  const read = () => client.getQueryData(questionQuery(id, sort, after).queryKey);
  const update: QuestionCache['update'] = async (change) => {
    // The first fetch of another order has no old state to bring back.
    await client.cancelQueries({ queryKey, predicate: ({ state }) => state.data !== undefined });
    updateCachedQuestion(client, id, change);
  };
  const cache: QuestionCache = {
    read,
    update,
    loadMoreAnswers: async () => (await loadFurtherPosts()).loadMoreAnswers(id, sort, read, update),
    loadMoreReplies: async (answerId) =>
      (await loadFurtherPosts()).loadMoreReplies(id, answerId, read, update),
    findPost: async (...post) =>
      (await loadFurtherPosts()).findFurtherPost({ client, id, sort, after, cache }, ...post),
    refresh: () => client.invalidateQueries({ queryKey }),
    refreshLists: () => {
      void client.invalidateQueries({
        predicate: ({ queryKey: [name] }) => name !== 'question' && name !== 'session',
      });
    },
    remove: () => client.removeQueries({ queryKey }),
  };
  return cache;
}

/** Changes the cached page in every order without cancelling fetches. */
export function updateCachedQuestion(
  client: QueryClient,
  id: number,
  change: (page: QuestionPageData) => QuestionPageData,
): void {
  client.setQueriesData<QuestionPageData>({ queryKey: questionKeys.one(id) }, (page) => page && change(page));
}
