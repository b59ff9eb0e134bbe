/**
 * How the words of a query have to be in a text that matches without containing the query as typed. `inflected`: all of
 * them, in any inflection, as PostgreSQL's English dictionary knows it. `parts`: these as they are, also inside a word.
 */
export type SearchWords = { inflected: boolean; parts: readonly string[] };

/**
 * The dictionary knows neither words that are written together, as in Chinese, nor those with something in front, as in
 * Arabic; there, a word is looked for inside words. And it drops the signs of C++, C# and .NET, which are no C and no net.
 */
export function parseSearchWords(query: string): SearchWords {
  const words = [...new Set(query.split(' ').map(withoutPunctuation))];
  if (otherScriptLetter.test(query)) return { inflected: false, parts: words.filter((word) => word !== '') };
  return { inflected: true, parts: words.filter((word) => codeName.test(word)) };
}

/** A letter of a script that the dictionary has no words of. */
export const otherScriptLetter = /[^\p{Script=Latin}\P{L}]/u;

/** The trigram indexes find texts by three letters or digits in a row. */
export const hasTrigram = /[\p{L}\p{N}]{3}/u;

const codeName = /^\.\p{L}|[\p{L}\p{N}][+#]+$/u;

export function withoutPunctuation(word: string): string {
  return word.replace(/^["'([{«“‘¿¡、，。]+|["')\]},.;:!?»”’、，。！？；：؟،؛]+$/gu, '');
}
