import { t } from '@lingui/core/macro';
import type { AnswerSort, AnswersPage } from '#shared/posts/answers.ts';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import type { RepliesPage } from '#shared/posts/replies.ts';
import { api, readJson } from '#web/core/api.ts';
import type { QueryClient } from '@tanstack/react-query';
import type { PostRef } from '#shared/core/fields.ts';
import { hasStatus } from '#web/core/errors.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { anchorOf, hiddenPostAnchor } from '#web/posts/post-ref.ts';
import { fetchQuestionPage, questionQuery, type QuestionCache } from './question-cache.ts';
import { findPost, findThread, mapThreads } from './question-page-data.ts';
import { isWriting } from './useReveal.ts';

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

/**
 * Adds the answers before a page that begins after a cursor, as a page of its own. While it is shown, what the reader sees
 * stays in place.
 * Returns the cursor after which that page begins; null for the first page.
 */
export async function loadPreviousAnswers(
  client: QueryClient,
  id: number,
  read: QuestionCache['read'],
  isShown: () => boolean,
): Promise<string | null> {
  const before = read();
  if (before === undefined) return null;
  const { sort, answers } = before;
  const after = answers.previousCursor ?? null;
  const previous = await fetchQuestionPage(id, { sort, after });
  const page = read() ?? before;
  const known = new Set(page.answers.items.map((answer) => answer.id));
  const items = previous.answers.items.filter((answer) => !known.has(answer.id));
  const { nextCursor } = page.answers;
  client.setQueryData(questionQuery(id, sort, after).queryKey, {
    ...page,
    answers: { ...previous.answers, items: [...items, ...page.answers.items], nextCursor },
  });
  const [first] = page.answers.items;
  if (first !== undefined && isShown()) keepInPlace(anchorOf({ kind: 'answer', id: first.id }));
  return after;
}

/** Scrolls when the next answers are added before an answer, so that it stays where it is in the window. */
function keepInPlace(anchor: string): void {
  const element = document.getElementById(anchor);
  const item = element?.parentElement;
  const list = item?.parentElement;
  if (!element || !item || !list) return;
  const { top } = element.getBoundingClientRect();
  const before = item.previousElementSibling;
  const observer = new MutationObserver(() => {
    if (item.previousElementSibling === before) return;
    observer.disconnect();
    window.scrollBy({ top: element.getBoundingClientRect().top - top, behavior: 'instant' });
  });
  observer.observe(list, { childList: true });
}

/** The maximum number of pages of replies that are loaded to find one. */
const maxPagesSearched = 40;

/** See `QuestionCache.findPost`. */
export async function findFurtherPost(
  {
    client,
    id,
    sort,
    after,
    cache,
  }: { client: QueryClient; id: number; sort: AnswerSort; after: string | null; cache: QuestionCache },
  post: PostRef,
  isWanted: () => boolean,
  openPage: (start: string | null) => void,
): Promise<boolean | null> {
  const isMissing = (wanted: PostRef) => {
    const page = cache.read();
    return isWanted() && page !== undefined && findPost(page, wanted) === undefined;
  };
  try {
    const { answerId, after: start } = await fetchPosition(id, sort, post);
    if (answerId !== null && isMissing({ kind: 'answer', id: answerId })) {
      if (start !== after) {
        await client.fetchQuery(questionQuery(id, sort, start));
        const show = () => isWanted() && openPage(start);
        // The form would disappear, and the next letters would be shortcuts.
        if (isWanted() && isWriting()) toast(t`The linked post has loaded.`, { label: t`Show`, run: show });
        else show();
        return null;
      }
      // It was posted after this page was loaded.
      await cache.refresh();
    }
    const hasMore = () => {
      const page = cache.read();
      return page !== undefined && findThread(page, answerId)?.nextCursor != null;
    };
    for (let pages = 0; pages < maxPagesSearched && isMissing(post) && hasMore(); pages++)
      await cache.loadMoreReplies(answerId);
    if (isMissing(post)) await cache.refresh();
    return true;
  } catch (error) {
    const isNotFound = hasStatus(error, 404);
    if (isNotFound && (await showHiddenPost(id, post, isWanted).catch(() => false))) return false;
    if (isWanted()) toastError(isNotFound ? error.message : t`The linked post could not be loaded.`);
    return false;
  }
}

/** Goes to a hidden post once it is rendered. Returns whether its author or a moderator reads the page. */
async function showHiddenPost(
  questionId: number,
  { kind, id }: PostRef,
  isWanted: () => boolean,
): Promise<boolean> {
  const { items } = await readJson(
    api.questions[':id'].hidden.$get({ param: { id: String(questionId) }, query: {} }),
  );
  const hidden = items.find((each) => each.kind === kind && each.postId === id);
  if (hidden === undefined) return false;
  const show = () => {
    // Rendered by moderation/HiddenPosts.tsx, which is loaded on its own.
    const card = document.getElementById(hiddenPostAnchor(hidden));
    if (isWanted() && card === null) return;
    observer.disconnect();
    if (card === null || !isWanted() || isWriting()) return;
    card.focus({ preventScroll: true });
    card.scrollIntoView({ block: 'nearest' });
  };
  const observer = new MutationObserver(show);
  observer.observe(document.body, { childList: true, subtree: true });
  show();
  return true;
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
  const list = await refetchList<AnswersPage>(before.answers, fresh.answers, (cursor) =>
    fetchAnswers(question.id, { sort, cursor }, init),
  );
  const answers = { ...list, items: keepAcceptedAnswer(before, { ...fresh, answers: list }) };
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

/** Only the first page has the accepted answer. One that was accepted on another page stays there. */
function keepAcceptedAnswer(before: QuestionPageData, { question, answers: { items } }: QuestionPageData) {
  const index = before.answers.items.findIndex(({ id }) => id === question.acceptedAnswerId);
  const accepted = before.answers.items[index];
  if (accepted === undefined || items.some(({ id }) => id === accepted.id)) return items;
  return items.toSpliced(index, 0, accepted);
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

function fetchPosition(questionId: number, sort: AnswerSort, { kind, id }: PostRef) {
  if (kind === 'question') throw new TypeError('A question is on each of its pages.');
  const query = { sort, kind, post: String(id) };
  return readJson(api.questions[':id'].answers.position.$get({ param: { id: String(questionId) }, query }));
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
