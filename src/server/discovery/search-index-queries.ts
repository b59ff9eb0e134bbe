import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { planOnceHint } from '#server/core/database-prepared-statements.ts';
import { likeContains } from '#server/core/sql.ts';
import { type UsedWord, getVocabulary } from './search-vocabulary.ts';
import { parseSearchWords } from './search-words.ts';

/**
 * The queries that find a text in the search indexes (schema section Discovery). Each query is the text form of a
 * `tsquery`.
 */
export type IndexQueries = {
  /** All its words, each as a whole word; null if no index can find the text, such as '%'. */
  whole: string | null;
  /** With the words that its first and last word can be a part of; null if there are none to add. */
  inside: string | null;
  /**
   * The same for searching all posts, without frequent words: a search for these finds enough among the popular posts.
   */
  insideOfAll: string | null;
  /** Whether the words alone decide, without comparing the text itself. */
  exact: boolean;
  /** Its words in any inflection; null for none, as when all are stop words. */
  stems: string | null;
  /**
   * What a match must contain as typed, also inside a word, besides `stems`: names such as C++, and words of other
   * scripts.
   */
  parts: readonly Part[];
};

/** `text` must be compared with the post's text; null if the words decide. */
export type Part = { query: string | null; text: string | null };

/** Words that contain a given word, at most; the most used ones. */
const maxContainingWords = 200;
/** Words read from the table at most, besides the most used words in memory. */
const maxContainingWordsScanned = 400;
/** Limits for searching all posts: words that contain the first or last word, and the sum of their uses. */
const containingWordsOfAll = { words: 24, uses: 20_000 } as const;

/**
 * @param main a text as typed.
 * @param inflected whether to find its words in other forms too.
 */
export async function buildIndexQueries(db: Reader, main: string, inflected: boolean): Promise<IndexQueries> {
  if (isPlainAscii(main)) return buildPlainQueries(db, main, inflected);
  const { plain, words, stems } = await splitWords(db, main);
  const pieces = toPieces(plain, new Set(words));
  const typedWords = inflected ? parseSearchWords(main) : { inflected: false, parts: [] };
  const [others, parts] = await Promise.all([
    findContainingWords(db, main, pieces),
    Promise.all(typedWords.parts.map((part) => buildPartQuery(db, part))),
  ]);
  const typed = buildTypedQueries(main, pieces, others);
  return { ...typed, stems: typedWords.inflected && stems !== '' ? stems : null, parts };
}

/** ASCII letters and single spaces. PostgreSQL splits such a text into words exactly at the spaces. */
const isPlainAscii = (text: string) =>
  /^[a-z]{1,60}(?: [a-z]{1,60})*$/iu.test(text) && !/[\u017f\u212a]/u.test(text);

async function buildPlainQueries(db: Reader, main: string, inflected: boolean): Promise<IndexQueries> {
  const plain = main.toLowerCase();
  const pieces = toPieces(plain, new Set(plain.split(' ')));
  const others = await findContainingWords(db, main, pieces, inflected ? main : null);
  const { stems, ...containing } = others;
  return { ...buildTypedQueries(main, pieces, containing), stems: stems === '' ? null : stems, parts: [] };
}

async function splitWords(db: Reader, text: string) {
  const { rows } = await sql<{ plain: string; words: string[]; stems: string }>`
    select search_plain(${text}) as plain, tsvector_to_array(search_words(${text})) as words,
      plainto_tsquery('english', ${text})::text as stems`.execute(db);
  return rows[0] ?? { plain: '', words: [], stems: '' };
}

/** A run of letters and digits, or of characters of a script without spaces. `keys` are its words in the index. */
type Piece = { text: string; unspaced: boolean; keys: readonly string[] };

const unspaced = /([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)/u;

function toPieces(plain: string, indexedWords: ReadonlySet<string>): Piece[] {
  return plain
    .split(' ')
    .flatMap((run) => run.split(unspaced))
    .filter((text) => text !== '')
    .map((text) => {
      const signs = Array.from(text);
      if (!unspaced.test(text)) return { text, unspaced: false, keys: indexedWords.has(text) ? [text] : [] };
      const pairs = signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
      return { text, unspaced: true, keys: signs.length === 1 ? signs : pairs };
    });
}

/** The words that contain the first and the last piece, most used first. */
type ContainingWords = { ofFirst: readonly UsedWord[]; ofLast: readonly UsedWord[] };

function buildTypedQueries(main: string, pieces: readonly Piece[], { ofFirst, ofLast }: ContainingWords) {
  const [first, last] = [pieces[0], pieces.at(-1)];
  const keys = pieces.flatMap((piece) => piece.keys);
  if (first === undefined || last === undefined || keys.length === 0)
    return { whole: null, inside: null, insideOfAll: null, exact: false };
  const typed = main.toLowerCase();
  const exact = typed === first.text && first.keys.length === 1;
  const whole = joinAnd(keys.map(quoted));
  const insideWith = (containing: ContainingWords): string | null => {
    const [ends, starts] = [containing.ofFirst.map(wordOf), containing.ofLast.map(wordOf)];
    if (pieces.length === 1) {
      if (exact) return ends.length === 0 ? null : joinOr(ends.map(quoted));
      return joinOr([...first.keys, ...ends].map(quoted));
    }
    if (ends.length === 0 && starts.length === 0 && typed.startsWith(first.text) && typed.endsWith(last.text))
      return null;
    const inside = pieces.flatMap((piece) => {
      const others = piece === first ? ends : piece === last ? starts : [];
      if (others.length === 0) return piece.keys.map(quoted);
      return [joinOr([...piece.keys, ...others].map(quoted))];
    });
    return joinAnd(inside);
  };
  const rare = { ofFirst: filterRareWords(ofFirst), ofLast: filterRareWords(ofLast) };
  return { whole, inside: insideWith({ ofFirst, ofLast }), insideOfAll: insideWith(rare), exact };
}

const wordOf = ({ word }: UsedWord) => word;

/** Drops the most used words until the sum of the uses is within the limit. */
function filterRareWords(words: readonly UsedWord[]): readonly UsedWord[] {
  let uses = words.reduce((sum, word) => sum + word.uses, 0);
  const from = words.findIndex((word) => {
    if (uses <= containingWordsOfAll.uses) return true;
    uses -= word.uses;
    return false;
  });
  return from === -1 ? [] : words.slice(from, from + containingWordsOfAll.words);
}

async function buildPartQuery(db: Reader, part: string): Promise<Part> {
  const { plain, words } = await splitWords(db, part);
  const name = words.find((word) => word === part.toLowerCase() && /[+#]$/.test(word));
  if (name !== undefined) return { query: quoted(name), text: null };
  const pieces = toPieces(plain, new Set(words));
  const { whole, inside, exact } = buildTypedQueries(
    part,
    pieces,
    await findContainingWords(db, part, pieces),
  );
  if (!exact) return { query: inside ?? whole, text: part };
  return { query: inside === null ? whole : joinOr([whole ?? inside, inside]), text: null };
}

/**
 * Which words to find in the vocabulary: those that contain the piece, begin with it or end with it, and are longer.
 */
type WordPattern = { text: string; where: 'containing' | 'beginning' | 'ending' };

function toWordPattern(
  { text, unspaced: signs, keys }: Piece,
  { before, after }: { before: boolean; after: boolean },
) {
  // For two letters, only words that begin with them are looked up; for one letter, none, because nearly every word
  // contains it.
  if (signs || keys.length === 0 || text.length < 2 || (text.length === 2 && !after)) return null;
  if (!before && !after) return null;
  const where = text.length === 2 || !before ? 'beginning' : after ? 'containing' : 'ending';
  return { text, where } satisfies WordPattern;
}

/** @param stemmedText a text to stem in the same round trip. */
async function findContainingWords(
  db: Reader,
  main: string,
  pieces: readonly Piece[],
  stemmedText: string | null = null,
): Promise<ContainingWords & { stems: string }> {
  const typed = main.toLowerCase();
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first === undefined || last === undefined) return { ofFirst: [], ofLast: [], stems: '' };
  const [open, closed] = [typed.startsWith(first.text), typed.endsWith(last.text)];
  const alone = pieces.length === 1;
  const wanted = [
    toWordPattern(first, { before: open, after: alone && closed }),
    alone ? null : toWordPattern(last, { before: false, after: closed }),
  ] as const;
  const { commonWords } = await getVocabulary(db);
  const used = wanted.map((each) =>
    each === null ? [] : commonWords[each.where](each.text, maxContainingWords),
  );
  // If memory has the maximum of more used words, words from the table would not count.
  const missing = wanted.filter(
    (each, index) => each !== null && (used[index]?.length ?? 0) < maxContainingWords,
  );
  const found = await lookUpWords(
    db,
    missing.filter((each) => each !== null),
    stemmedText,
  );
  const of = (each: WordPattern | null, some: readonly UsedWord[] = []) =>
    each === null ? [] : sortByUse([...some, ...found.others.filter((other) => other.of === each)]);
  return { ofFirst: of(wanted[0], used[0]), ofLast: of(wanted[1], used[1]), stems: found.stems };
}

function sortByUse(words: readonly UsedWord[]): UsedWord[] {
  const uses = new Map<string, number>();
  for (const { word, uses: count } of words) uses.set(word, Math.max(count, uses.get(word) ?? 0));
  return [...uses]
    .map(([word, count]) => ({ word, uses: count }))
    .toSorted((one, other) => other.uses - one.uses || (one.word < other.word ? -1 : 1))
    .slice(0, maxContainingWords);
}

async function lookUpWords(db: Reader, wanted: readonly WordPattern[], stemmedText: string | null) {
  if (wanted.length === 0 && stemmedText === null) return { stems: '', others: [] };
  const [ending, beginning, having] = (['ending', 'beginning', 'containing'] as const).map((where) =>
    wanted.find((each) => each.where === where),
  );
  // Sorts after every continuation of a word.
  const last = String.fromCodePoint(0x10ffff);
  const backwards = ending && Array.from(ending.text).toReversed().join('');
  const of = (where: string) => sql`select ${sql.lit(where)} as place, word, uses from search_word where`;
  const maxRows = sql.lit(maxContainingWordsScanned);
  const { rows } = await sql<UsedWord & { place: string }>`${planOnceHint}
    select 'stems' as place, plainto_tsquery('english', ${stemmedText})::text as word, 0 as uses
    union all (${of('ending')} reverse(word) > (select ${backwards ?? null}::text)
      and reverse(word) < (select ${backwards === undefined ? null : backwards + last}::text) limit ${maxRows})
    union all (${of('beginning')} word > (select ${beginning?.text ?? null}::text)
      and word < (select ${beginning === undefined ? null : beginning.text + last}::text) limit ${maxRows})
    union all (${of('containing')} word like (select ${having === undefined ? null : likeContains(having.text)}::text)
      and word <> (select ${having?.text ?? null}::text) limit ${maxRows})`.execute(db);
  return {
    stems: rows.find(({ place }) => place === 'stems')?.word ?? '',
    others: rows.flatMap(({ place, word, uses }) => {
      const of = wanted.find((each) => each.where === place);
      return of === undefined ? [] : [{ word, uses, of }];
    }),
  };
}

/** Quotes a lexeme for a `tsquery`. */
function quoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function joinAnd(queries: readonly string[]): string {
  return queries.length === 1 ? (queries[0] ?? '') : `(${[...new Set(queries)].join(' & ')})`;
}

function joinOr(queries: readonly string[]): string {
  return queries.length === 1 ? (queries[0] ?? '') : `(${queries.join(' | ')})`;
}
