import type { AnswerSort } from '#shared/answers.ts';

const key = 'parley.answer-order';
const orders: readonly AnswerSort[] = ['newest', 'helpful', 'oldest'];

export function isAnswerOrder(value: unknown): value is AnswerSort {
  return orders.some((order) => order === value);
}

/** The order that the member chose last in this browser; newest first where none was (docs/product.md 5.4). */
export function rememberedOrder(): AnswerSort {
  try {
    const stored = localStorage.getItem(key);
    return isAnswerOrder(stored) ? stored : 'newest';
  } catch {
    return 'newest';
  }
}

export function rememberOrder(order: AnswerSort): void {
  try {
    localStorage.setItem(key, order);
  } catch {
    // Storage can be forbidden or full; the address keeps the choice for this page.
  }
}
