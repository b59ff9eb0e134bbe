import { sql } from 'kysely';
import type { Reader } from '#server/platform/database.ts';
import { likeContains } from '#server/platform/sql.ts';
import { oftenUsed, type UsedWord } from './often.ts';
import { askedWords } from './words.ts';

/** What a text to be found is in the indexes of search (migration 0014); each query is a `tsquery` as text. */
export type Keys = {
  /** All its words, each whole; null where no index can lead to the text, as to '%'. */
  whole: string | null;
  /** With what its first and last word may be the end, the beginning or the inside of; null where that adds nothing. */
  inside: string | null;
  /** The words alone decide: there is nothing to compare letter by letter. */
  exact: boolean;
  /** Its words in any inflection; null for none, as where all are words such as 'the'. */
  stems: string | null;
  /** What has to be there as it is, also inside a word, besides `stems`: names as C++, words of other scripts. */
  parts: readonly Part[];
};

/** `text` is to be compared letter by letter; null where the words decide. */
export type Part = { query: string | null; text: string | null };

/** A word may be a part of so many others at most; the most used ones count. */
const othersAtMost = 200;
/** Beside the most used words, which are looked through, so many others. */
const othersLookedAt = 2_000;

/** @param main a text as typed. @param inflected whether its words are looked for in other forms too. */
export async function keysOf(db: Reader, main: string, inflected: boolean): Promise<Keys> {
  const { plain, words, stems } = await wordsOf(db, main);
  const pieces = piecesOf(plain, new Set(words));
  const asked = inflected ? askedWords(main) : { inflected: false, parts: [] };
  const [typed, parts] = await Promise.all([
    typedKeys(db, main, pieces),
    Promise.all(asked.parts.map((part) => partKeys(db, part))),
  ]);
  return { ...typed, stems: asked.inflected && stems !== '' ? stems : null, parts };
}

async function wordsOf(db: Reader, text: string) {
  const { rows } = await sql<{ plain: string; words: string[]; stems: string }>`
    select search_plain(${text}) as plain, tsvector_to_array(search_words(${text})) as words,
      plainto_tsquery('english', ${text})::text as stems`.execute(db);
  return rows[0] ?? { plain: '', words: [], stems: '' };
}

/** A run of letters and digits, or of signs that are written without spaces; `keys` has its words in the index. */
type Piece = { text: string; unspaced: boolean; keys: readonly string[] };

const unspaced = /([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)/u;

function piecesOf(plain: string, known: ReadonlySet<string>): Piece[] {
  return plain
    .split(' ')
    .flatMap((run) => run.split(unspaced))
    .filter((text) => text !== '')
    .map((text) => {
      const signs = Array.from(text);
      if (!unspaced.test(text)) return { text, unspaced: false, keys: known.has(text) ? [text] : [] };
      const pairs = signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
      return { text, unspaced: true, keys: signs.length === 1 ? signs : pairs };
    });
}

async function typedKeys(db: Reader, main: string, pieces: readonly Piece[]) {
  const [first, last] = [pieces[0], pieces.at(-1)];
  const keys = pieces.flatMap((piece) => piece.keys);
  if (first === undefined || last === undefined || keys.length === 0)
    return { whole: null, inside: null, exact: false };
  const typed = main.toLowerCase();
  const exact = typed === first.text && first.keys.length === 1;
  const [open, closed] = [typed.startsWith(first.text), typed.endsWith(last.text)];
  const whole = and(keys.map(quoted));
  if (pieces.length === 1) {
    const others = first.unspaced ? [] : await wordsWith(db, first, { before: open, after: closed });
    if (exact) return { whole, inside: others.length === 0 ? null : or(others.map(quoted)), exact };
    return { whole, inside: or([...first.keys, ...others].map(quoted)), exact };
  }
  const [ends, starts] = await Promise.all([
    open && !first.unspaced ? wordsWith(db, first, { before: true, after: false }) : [],
    closed && !last.unspaced ? wordsWith(db, last, { before: false, after: true }) : [],
  ]);
  if (ends.length === 0 && starts.length === 0 && open && closed) return { whole, inside: null, exact };
  const inside = pieces.flatMap((piece) => {
    const others = piece === first ? ends : piece === last ? starts : [];
    if (others.length === 0) return piece.keys.map(quoted);
    return [or([...piece.keys, ...others].map(quoted))];
  });
  return { whole, inside: and(inside), exact };
}

async function partKeys(db: Reader, part: string): Promise<Part> {
  const { plain, words } = await wordsOf(db, part);
  const name = words.find((word) => word === part.toLowerCase() && /[+#]$/.test(word));
  if (name !== undefined) return { query: quoted(name), text: null };
  const pieces = piecesOf(plain, new Set(words));
  const { whole, inside, exact } = await typedKeys(db, part, pieces);
  if (!exact) return { query: inside ?? whole, text: part };
  return { query: inside === null ? whole : or([whole ?? inside, inside]), text: null };
}

/** Words, most used first, that have the piece in them and something before or after it. */
async function wordsWith(
  db: Reader,
  { text, keys }: Piece,
  { before, after }: { before: boolean; after: boolean },
): Promise<string[]> {
  // Of a letter or two, words that begin so are known at most; of one, every word would do.
  if (keys.length === 0 || text.length < 2 || (text.length === 2 && !after)) return [];
  if (!before && !after) return [];
  const fromStart = text.length === 2 || !before;
  const isWanted = ({ word }: UsedWord) =>
    word !== text && (fromStart ? word.startsWith(text) : after ? word.includes(text) : word.endsWith(text));
  const inside = likeContains(text);
  const pattern = fromStart ? inside.slice(1) : after ? inside : inside.slice(0, -1);
  const [often, { rows: others }] = await Promise.all([
    oftenUsed(db),
    sql<UsedWord>`
      select word, uses from search_word where word like ${pattern} and word <> ${text}
      limit ${sql.lit(othersLookedAt)}`.execute(db),
  ]);
  const uses = new Map(others.map((other) => [other.word, other.uses]));
  for (const used of often) if (isWanted(used)) uses.set(used.word, used.uses);
  return [...uses]
    .toSorted(([one, used], [other, alsoUsed]) => alsoUsed - used || (one < other ? -1 : 1))
    .slice(0, othersAtMost)
    .map(([word]) => word);
}

/** As PostgreSQL reads a lexeme in a `tsquery`. */
function quoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function and(queries: readonly string[]): string {
  return queries.length === 1 ? (queries[0] ?? '') : `(${[...new Set(queries)].join(' & ')})`;
}

function or(queries: readonly string[]): string {
  return queries.length === 1 ? (queries[0] ?? '') : `(${queries.join(' | ')})`;
}
