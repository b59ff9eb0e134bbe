import { plural } from '@lingui/core/macro';
import { formatCount, formatShortCount } from '#web/core/format.ts';

/** '3 upvotes'. A shortened count ('1.2k views') has the exact one as its title. */
export function Count({ of, singular }: { of: number; singular: CountedNoun }) {
  return (
    <span
      style={{ fontVariantNumeric: 'tabular-nums' }}
      title={of > 999 ? formatCountOf(singular, of, formatCount(of)) : undefined}
    >
      {formatCountOf(singular, of, formatShortCount(of))}
    </span>
  );
}

const counts = {
  upvote: (n: number, formatted: string) =>
    plural(n, { one: `${formatted} upvote`, other: `${formatted} upvotes` }),
  answer: (n: number, formatted: string) =>
    plural(n, { one: `${formatted} answer`, other: `${formatted} answers` }),
  view: (n: number, formatted: string) =>
    plural(n, { one: `${formatted} view`, other: `${formatted} views` }),
  question: (n: number, formatted: string) =>
    plural(n, { one: `${formatted} question`, other: `${formatted} questions` }),
  follower: (n: number, formatted: string) =>
    plural(n, { one: `${formatted} follower`, other: `${formatted} followers` }),
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
 * @param formatted the formatted count: '1.2k'.
 */
export function formatCountOf(counted: CountedNoun, count: number, formatted: string): string {
  return counts[counted](count, formatted);
}

/** Only the word, such as 'upvotes', in the form for this count. */
export function getCountedWord(counted: CountedNoun, count: number): string {
  return words[counted](count);
}
