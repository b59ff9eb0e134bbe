import { plural } from '@lingui/core/macro';

const counts = {
  upvote: (n: number, shown: string) => plural(n, { one: `${shown} upvote`, other: `${shown} upvotes` }),
  answer: (n: number, shown: string) => plural(n, { one: `${shown} answer`, other: `${shown} answers` }),
  view: (n: number, shown: string) => plural(n, { one: `${shown} view`, other: `${shown} views` }),
  question: (n: number, shown: string) =>
    plural(n, { one: `${shown} question`, other: `${shown} questions` }),
  follower: (n: number, shown: string) =>
    plural(n, { one: `${shown} follower`, other: `${shown} followers` }),
};
const words = {
  upvote: (n: number) => plural(n, { one: 'upvote', other: 'upvotes' }),
  answer: (n: number) => plural(n, { one: 'answer', other: 'answers' }),
  view: (n: number) => plural(n, { one: 'view', other: 'views' }),
  question: (n: number) => plural(n, { one: 'question', other: 'questions' }),
  follower: (n: number) => plural(n, { one: 'follower', other: 'followers' }),
};

/** What is counted, in the singular. */
export type CountedNoun = keyof typeof counts;

/**
 * '3 upvotes'.
 * @param shown the formatted count: '1.2k'.
 */
export function formatCountOf(counted: CountedNoun, count: number, shown: string): string {
  return counts[counted](count, shown);
}

/** Only the word, such as 'upvotes', in the form for this count. */
export function getCountedWord(counted: CountedNoun, count: number): string {
  return words[counted](count);
}
