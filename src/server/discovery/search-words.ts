import type { Reader } from '#server/core/database.ts';
import { joinAll, joinAny, quoteLexeme, type Term } from './ranking.ts';
import type { CommunityWords, Lexemes, WordPattern } from './vocabulary-queries.ts';
import { countQuestionsWith, lookUpLexemes, lookUpLongerWords } from './vocabulary.ts';

/** The words of a query. */
export type QueryWords = {
  terms: Term[];
  /** Texts with signs that no index has, such as .NET: posts must contain these. */
  contained: string[];
  /** Words that no post has. */
  unknown: string[];
  /** Whether it has no other words than stop words. Most posts have those. */
  hasStopWordsOnly: boolean;
  /** The text, if it is more than a word of letters and digits. */
  typed: string | null;
  community: CommunityWords;
};

/** Words to find instead of those with typing errors. */
export type Replacements = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the words of a text as typed. The last word can be the beginning of a longer one, the first its end, and a
 * single word any part. Stop words count only if there are no others; then the texts must contain them as typed.
 */
export async function readQueryWords(
  db: Reader,
  text: string,
  replacements: Replacements = new Map(),
): Promise<QueryWords> {
  const words = splitIntoWords(text);
  const lexemes = await lookUpLexemes(
    db,
    words.map((word) => word.toLowerCase()),
  );
  const read = words
    .map((word) => readWord(word, lexemes.get(word.toLowerCase()) ?? { exact: [], stems: [] }))
    .filter(({ exact }) => exact.length > 0);
  const meaningful = read.filter(({ stems, word }) => stems.length > 0 || hasOwnSpelling.test(word));
  const used = meaningful.length > 0 ? meaningful : read;
  const patterns = read.map((each, index) =>
    used.includes(each) ? toPattern(each, { isFirst: index === 0, isLast: index === read.length - 1 }) : null,
  );
  const [counted, longer] = await Promise.all([
    countQuestionsWith(
      db,
      used.flatMap(({ exact, stems }) => [...exact, ...stems]),
    ),
    Promise.all(
      patterns.map(async (pattern) => (pattern === null ? [] : await lookUpLongerWords(db, pattern))),
    ),
  ]);
  const { community, counts } = counted;
  const countOf = (keys: readonly string[]) =>
    keys.length === 0 ? 0 : Math.min(...keys.map((key) => counts.get(key) ?? 0));
  const terms = used.map((each) => {
    const others = [...(longer[read.indexOf(each)] ?? []), ...(replacements.get(each.word) ?? [])];
    const questions = Math.max(countOf(each.exact), countOf(each.stems));
    // Of longer words, only the common ones add much.
    const longerShare = others.reduce((sum, word) => sum + (community.shares.get(word) ?? 0), 0);
    const most = questions + longerShare * community.questions;
    return toTerm(each, { longer: others, questions, most: Math.max(most, others.length) });
  });
  const hasStopWordsOnly = meaningful.length === 0;
  const typed = words.length > 1 || !/^[\p{L}\p{N}]*$/u.test(text) ? text : null;
  return {
    terms,
    contained: [
      ...used.filter(({ word }) => /^\.\p{L}/u.test(word)).map(({ word }) => word),
      ...(hasStopWordsOnly && typed !== null ? [typed] : []),
    ],
    hasStopWordsOnly,
    unknown: used.filter((_, index) => terms[index]?.most === 0).map(({ word }) => word),
    typed,
    community,
  };
}

type ReadWord = Pick<Lexemes, 'exact' | 'stems'> & { word: string };

/** Splits a query at spaces, and scripts without spaces from others. */
function splitIntoWords(text: string): string[] {
  const words = text.split(' ').map(withoutPunctuation);
  return [...new Set(words.flatMap((word) => word.split(unspaced)))].filter((word) => word !== '');
}

const unspaced = /([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)/u;

/** Of c++, only the name with its signs; of Chinese, pairs of characters unless it is a single one. */
function readWord(word: string, { exact, stems }: Pick<Lexemes, 'exact' | 'stems'>): ReadWord {
  const name = exact.find((lexeme) => lexeme === word.toLowerCase() && /[+#]$/u.test(lexeme));
  if (name !== undefined) return { word, exact: [name], stems: [] };
  if (!unspaced.test(word)) return { word, exact, stems };
  const isSingle = Array.from(word).length === 1;
  return { word, exact: exact.filter((key) => isSingle || Array.from(key).length > 1), stems: [] };
}

/** Too many words begin with one letter, or contain two. */
function toPattern(
  { word }: ReadWord,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): WordPattern | null {
  const part = word.toLowerCase();
  if (!/^[\p{L}\p{N}]{2,}$/u.test(part) || unspaced.test(part)) return null;
  if (part.length === 2) return isLast ? { part, where: 'beginning' } : null;
  if ((isFirst && isLast) || otherScriptLetter.test(part)) return { part, where: 'containing' };
  if (isLast) return { part, where: 'beginning' };
  return isFirst ? { part, where: 'ending' } : null;
}

function toTerm(
  { exact, stems }: ReadWord,
  { longer, ...numbers }: { longer: readonly string[]; questions: number; most: number },
): Term {
  const quoted = {
    exact: exact.map(quoteLexeme),
    stems: stems.map(quoteLexeme),
    longer: longer.map(quoteLexeme),
  };
  const whole = [joinAll(quoted.exact), ...(stems.length === 0 ? [] : [joinAll(quoted.stems)])];
  return {
    match: joinAny([...whole, ...quoted.longer]),
    lexemes: joinAny([...quoted.exact, ...quoted.stems]),
    longer: longer.length === 0 ? null : joinAny(quoted.longer),
    ...numbers,
    used: 1,
  };
}

/** A letter of a script other than Latin, which the dictionary has no words of. */
export const otherScriptLetter = /[^\p{Script=Latin}\P{L}]/u;

/** A name such as C++, C# or .NET, whose signs the dictionary drops. */
export const codeName = /^\.\p{L}|[\p{L}\p{N}][+#]+$/u;

/** A word that the dictionary does not know or understand. */
const hasOwnSpelling = new RegExp(`${otherScriptLetter.source}|${codeName.source}`, 'u');

/** The trigram indexes find texts by three letters or digits in a row. */
export const hasTrigram = /[\p{L}\p{N}]{3}/u;

export function withoutPunctuation(word: string): string {
  return word.replace(/^["'([{«“‘¿¡、，。]+|["')\]},.;:!?»”’、，。！？；：؟،؛]+$/gu, '');
}
