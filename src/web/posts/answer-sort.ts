import type { AnswerSort } from '#shared/posts/answers.ts';

const storageKey = 'parley.answer-sort';
const answerSorts: readonly AnswerSort[] = ['newest', 'helpful', 'oldest'];

export function isAnswerSort(value: unknown): value is AnswerSort {
  return answerSorts.some((order) => order === value);
}

/** The order that the member chose last in this browser; newest first by default (docs/product.md 5.4). */
export function getSavedAnswerSort(): AnswerSort {
  try {
    const stored = localStorage.getItem(storageKey);
    return isAnswerSort(stored) ? stored : 'newest';
  } catch {
    return 'newest';
  }
}

export function saveAnswerSort(order: AnswerSort): void {
  try {
    localStorage.setItem(storageKey, order);
  } catch {
    // Storage can be blocked or full. The address has the choice for this page.
  }
}
