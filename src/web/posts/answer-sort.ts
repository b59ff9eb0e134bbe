import { answerSortCookie } from '#shared/core/protocol.ts';
import type { AnswerSort } from '#shared/posts/answers.ts';
import { parseAfter } from '#web/core/paths.ts';
import { readCookie, writeCookie } from '#web/core/cookies.ts';

const answerSorts: readonly AnswerSort[] = ['newest', 'helpful', 'oldest'];

export function isAnswerSort(value: unknown): value is AnswerSort {
  return answerSorts.some((order) => order === value);
}

/** The order that the member chose last in this browser; newest first by default (docs/product.md 5.4). */
export function getSavedAnswerSort(): AnswerSort {
  const saved = readCookie(answerSortCookie);
  return isAnswerSort(saved) ? saved : 'newest';
}

export function saveAnswerSort(order: AnswerSort): void {
  writeCookie(answerSortCookie, order);
}

/** An address without `sort` uses the order that the member selected last. */
export const parseQuestionSearch = ({
  sort,
  after,
}: Record<string, unknown>): { sort?: AnswerSort | undefined; after?: string | undefined } => ({
  sort: isAnswerSort(sort) ? sort : undefined,
  after: parseAfter(after),
});
