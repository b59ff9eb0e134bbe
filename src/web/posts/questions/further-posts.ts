import type { AnswerSort, AnswersPage } from '#shared/posts/answers.ts';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import type { RepliesPage } from '#shared/posts/replies.ts';
import { api, readJson } from '#web/core/api.ts';
import { hasStatus } from '#web/core/errors.ts';
import type { QuestionCache } from './question-cache.ts';
import { findThread, mapThreads } from './question-page-data.ts';

type Init = { signal?: AbortSignal };

export async function loadMoreAnswers(
  id: number,
  sort: AnswerSort,
  read: QuestionCache['read'],
  update: QuestionCache['update'],
): Promise<void> {
  const cursor = read()?.answers.nextCursor ?? null;
  if (cursor === null) return;
  const more = await fetchAnswers(id, { sort, cursor });
  await update((page) => (page.answers.nextCursor === cursor ? addMoreAnswers(page, more) : page));
}

/**
 * @param id the question
 * @param answerId null for the comments on the question.
 */
export async function loadMoreReplies(
  id: number,
  answerId: number | null,
  read: QuestionCache['read'],
  update: QuestionCache['update'],
): Promise<void> {
  const page = read();
  const cursor = (page && findThread(page, answerId))?.nextCursor ?? null;
  if (cursor === null) return;
  const more = await fetchReplies(id, answerId, cursor);
  await update((page) => addMoreReplies(page, answerId, more));
}

export function addMoreAnswers(page: QuestionPageData, more: AnswersPage): QuestionPageData {
  return { ...page, answers: appendPage(page.answers, more) };
}

/** @param answerId null for the comments on the question. */
export function addMoreReplies(
  page: QuestionPageData,
  answerId: number | null,
  more: RepliesPage,
): QuestionPageData {
  return mapThreads(page, (thread, id) => (id === answerId ? appendPage(thread, more) : thread));
}

/**
 * Posts beyond the first pages change and disappear too, so a refetch of the page includes those that were loaded.
 * @param before the page shown so far
 * @param fresh the page with the first answers and the first replies of each thread.
 */
export async function refetchFurtherPosts(
  before: QuestionPageData,
  fresh: QuestionPageData,
  init: Init,
): Promise<QuestionPageData> {
  const { question, sort } = fresh;
  const refetchThread = async (answerId: number | null, thread: RepliesPage) => {
    try {
      const fetchPage = (cursor: string) => fetchReplies(question.id, answerId, cursor, init);
      return await refetchList(findThread(before, answerId), thread, fetchPage);
    } catch (error) {
      // The answer was deleted meanwhile.
      if (hasStatus(error, 404)) return thread;
      throw error;
    }
  };
  const answers = await refetchList<AnswersPage>(before.answers, fresh.answers, (cursor) =>
    fetchAnswers(question.id, { sort, cursor }, init),
  );
  const [replies, items] = await Promise.all([
    refetchThread(null, fresh.replies),
    Promise.all(
      answers.items.map(async (answer) => ({
        ...answer,
        replies: await refetchThread(answer.id, answer.replies),
      })),
    ),
  ]);
  return { ...fresh, replies, answers: { ...answers, items } };
}

/** Adds pages to the first one until the list is as long as before. A complete list stays complete. */
export async function refetchList<Page extends AnswersPage | RepliesPage>(
  before: Page | undefined,
  firstPage: Page,
  fetchPage: (cursor: string) => Promise<Page>,
): Promise<Page> {
  if (before === undefined) return firstPage;
  const wanted = before.items.length + (before.nextCursor === null ? 1 : 0);
  let list = firstPage;
  while (list.nextCursor !== null && list.nextCursor !== before.nextCursor && list.items.length < wanted)
    list = appendPage(list, await fetchPage(list.nextCursor));
  return list;
}

export function appendPage<Page extends AnswersPage | RepliesPage>(page: Page, more: Page): Page {
  const fresh = new Set<number>(more.items.map((item) => item.id));
  return {
    ...page,
    items: [...page.items.filter((item) => !fresh.has(item.id)), ...more.items],
    nextCursor: more.nextCursor,
  };
}

function fetchAnswers(id: number, query: { sort: AnswerSort; cursor: string }, init: Init = {}) {
  return readJson(api.questions[':id'].answers.$get({ param: { id: String(id) }, query }, { init }));
}

function fetchReplies(
  id: number,
  answerId: number | null,
  cursor: string,
  init: Init = {},
): Promise<RepliesPage> {
  const owner = answerId === null ? api.questions : api.answers;
  const request = { param: { id: String(answerId ?? id) }, query: { cursor } };
  return readJson(owner[':id'].replies.$get(request, { init }));
}
