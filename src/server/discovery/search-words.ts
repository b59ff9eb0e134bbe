/**
 * How a text matches without containing the query as typed. `inflected`: all words in any inflection, by PostgreSQL's
 * English dictionary. `parts`: these texts as typed, also inside a word.
 */
export type SearchWords = { inflected: boolean; parts: readonly string[] };

/**
 * The English dictionary cannot split words of scripts without spaces, such as Chinese, or words with prefixes, as in
 * Arabic. Words of these scripts are found inside words. The dictionary also drops the signs of C++, C# and .NET.
 */
export function parseSearchWords(query: string): SearchWords {
  const words = [...new Set(query.split(' ').map(withoutPunctuation))];
  if (otherScriptLetter.test(query)) return { inflected: false, parts: words.filter((word) => word !== '') };
  return { inflected: true, parts: words.filter((word) => codeName.test(word)) };
}

/** A letter of a script other than Latin, which the dictionary has no words of. */
export const otherScriptLetter = /[^\p{Script=Latin}\P{L}]/u;

/** The trigram indexes find texts by three letters or digits in a row. */
export const hasTrigram = /[\p{L}\p{N}]{3}/u;

const codeName = /^\.\p{L}|[\p{L}\p{N}][+#]+$/u;

export function withoutPunctuation(word: string): string {
  return word.replace(/^["'([{«“‘¿¡、，。]+|["')\]},.;:!?»”’、，。！？；：؟،؛]+$/gu, '');
}
