/**
 * Counts in how many texts each word is, as `search_words` tells words apart (schema section Text search), of texts that are countable.
 * PostgreSQL takes half an hour for those of a million questions.
 */
export type WordCounts = {
  add(text: string): void;
  /** Rows of `search_word`, as COPY reads them. */
  rows(): Generator<string>;
};

/** Whether a text has only characters that are told apart simply: details and answers that are made have no others. */
export const isCountable = (text: string) => /^[ -~\n]*$/u.test(text) && !/[+#]/u.test(text);

/** As the table takes them, in characters. */
const lengths = { least: 3, most: 200 } as const;

export function createWordCounter(): WordCounts {
  // How often, and the last text it was in: a word counts once in each.
  const counts = new Map<string, { uses: number; last: number }>();
  let texts = 0;
  return {
    add(text) {
      texts++;
      for (const word of text.toLowerCase().match(/[a-z0-9]+/gu) ?? []) {
        if (word.length < lengths.least || word.length > lengths.most) continue;
        const count = counts.get(word);
        if (count === undefined) counts.set(word, { uses: 1, last: texts });
        else if (count.last !== texts) {
          count.uses++;
          count.last = texts;
        }
      }
    },
    *rows() {
      for (const [word, { uses }] of counts) yield `${word}\t${uses}\n`;
    },
  };
}
