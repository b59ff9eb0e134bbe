import { tagKey } from '#shared/core/text.ts';

type QuestionInput = { title: string; content: string; tags: readonly string[] };
export type ExistingTag = { key: string; name: string; questionsCount: number };

/** A name of a tag is looked for in as many words of a text, from its beginning. */
const maxWords = 400;

/** What may be the name of a tag has at most so many words. */
const wordsOfName = 3;

/** No longer word is a name; looking for the signs at its end takes the square of its length. */
const maxWordLength = 100;

/**
 * The keys of all tags that would stand in the title or the text: each word and each two or three in a row, written with
 * spaces, as 'machine learning', or with hyphens, as 'machine-learning'.
 */
export function listPossibleTags({ title, content }: Pick<QuestionInput, 'title' | 'content'>): Set<string> {
  const names = new Set<string>();
  for (const text of [title, content]) {
    const words = splitWords(text);
    for (let start = 0; start < words.length; start++)
      for (let length = 1; length <= wordsOfName && start + length <= words.length; length++) {
        const run = words.slice(start, start + length);
        names.add(run.join(' ')).add(run.join('-'));
      }
  }
  return names;
}

/** Words with the signs that names of tags have: c++, c#, node.js, .net, at&t; a full stop at the end is none of them. */
function splitWords(text: string): string[] {
  const words = tagKey(text).match(/[\p{L}\p{M}\p{N}.+#&_-]+/gu) ?? [];
  return words
    .slice(0, maxWords)
    .filter((word) => word.length <= maxWordLength)
    .map((word) => word.replace(/^[#&_+-]+|[.&_-]+$/gu, ''))
    .filter((word) => word !== '');
}

/** What a tag's name in the title, or in the text, counts beside questions that carry the tag, of which the first counts 1. */
const nameWeights = { title: 2, text: 1.5 } as const;

/** Tags that count less are left out: one similar question alone is no reason. */
const minFit = 1;

/**
 * The tags that fit what is typed, best first: those that similar questions carry, the more alike the more, and those whose
 * name is typed; none that is chosen already, none that nobody uses.
 */
export function rankTags(
  existing: readonly ExistingTag[],
  {
    typed,
    names,
    alike,
  }: {
    typed: QuestionInput;
    names: ReadonlySet<string>;
    alike: readonly { tags: string[]; score: number }[];
  },
): ExistingTag[] {
  const chosen = new Set(typed.tags.map(tagKey));
  const inTitle = listPossibleTags({ title: typed.title, content: '' });
  const best = alike[0]?.score ?? 1;
  const carried = new Map<string, number>();
  for (const { tags, score } of alike)
    for (const key of tags.map(tagKey)) carried.set(key, (carried.get(key) ?? 0) + score / best);
  const fit = ({ key }: ExistingTag) =>
    (inTitle.has(key) ? nameWeights.title : names.has(key) ? nameWeights.text : 0) + (carried.get(key) ?? 0);
  return existing
    .filter((tag) => !chosen.has(tag.key) && tag.questionsCount > 0)
    .map((tag) => ({ tag, fit: fit(tag) }))
    .filter((each) => each.fit > minFit)
    .toSorted(
      (a, b) =>
        b.fit - a.fit || b.tag.questionsCount - a.tag.questionsCount || (a.tag.key < b.tag.key ? -1 : 1),
    )
    .map(({ tag }) => tag);
}
