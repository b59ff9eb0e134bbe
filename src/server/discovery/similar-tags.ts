import { tagKey } from '#shared/core/text.ts';

type QuestionInput = { title: string; content: string; tags: readonly string[] };
/** `key`: of the tag, or of a synonym of it. */
export type ExistingTag = { key: string; name: string; questionsCount: number };

/** Words of a text, from its beginning, that are checked for tag names. */
const maxWords = 400;

/** Words in a possible tag name at most. */
const wordsOfName = 3;

/** Longer words are not tag names. Removing the signs at the end of a word takes quadratic time. */
const maxWordLength = 100;

/**
 * Returns the keys of all tags that the title or the text could name: each word, and each two or three words in a row,
 * joined by spaces ('machine learning') or hyphens ('machine-learning').
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

/**
 * Splits a text into words with the signs that tag names have: c++, c#, node.js, .net, at&t. A full stop at the end
 * does not belong to the word.
 */
function splitWords(text: string): string[] {
  const words = tagKey(text).match(/[\p{L}\p{M}\p{N}.+#&_-]+/gu) ?? [];
  return words
    .slice(0, maxWords)
    .filter((word) => word.length <= maxWordLength)
    .map((word) => word.replace(/^[#&_+-]+|[.&_-]+$/gu, ''))
    .filter((word) => word !== '');
}

/** Weight of a tag name in the title or the text. The most similar question that has the tag counts 1. */
const nameWeights = { title: 2, text: 1.5 } as const;

/** Tags with a lower weight are left out: one similar question alone is not enough. */
const minFit = 1;

/**
 * Returns the tags that fit the text, best first: those of similar questions, weighted by similarity, and those whose
 * name the text contains. Leaves out tags already chosen and tags without questions.
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
  const ranked = existing
    .filter((tag) => !chosen.has(tag.key) && !chosen.has(tagKey(tag.name)) && tag.questionsCount > 0)
    .map((tag) => ({ tag, fit: fit(tag) }))
    .filter((each) => each.fit > minFit)
    .toSorted(
      (a, b) =>
        b.fit - a.fit || b.tag.questionsCount - a.tag.questionsCount || (a.tag.key < b.tag.key ? -1 : 1),
    )
    .map(({ tag }) => tag);
  return [...new Map(ranked.toReversed().map((tag) => [tag.name, tag])).values()].toReversed();
}
