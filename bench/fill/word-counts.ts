/**
 * Counts the texts that contain each word, with the tokenization of `search_words` (schema section Text search), for
 * countable texts. PostgreSQL needs half an hour for a million questions.
 */
export type WordCounts = {
  add(text: string): void;
  /** Rows of `search_word`, in the text format of COPY. */
  rows(): Generator<string>;
};

/** Whether a text has only characters with simple tokenization, as all generated details and answers do. */
export const isCountable = (text: string) => /^[ -~\n]*$/u.test(text) && !/[+#]/u.test(text);

/** The limits of the table, in characters. */
const lengths = { least: 3, most: 200 } as const;

export function createWordCounter(): WordCounts {
  // The count of each word and the last text with it: a word counts once per text.
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
