import { type RawBuilder, sql } from 'kysely';
import { answerCardColumns, type AnswerCardRow } from '#server/answers/cards.ts';
import type { Reader } from '#server/platform/database.ts';
import { likeContains } from '#server/platform/sql.ts';
import { bylineJoins } from '#server/posts/post.ts';
import { cardColumns, type QuestionCardRow } from '#server/questions/cards.ts';
import { countedResults, type SearchSort } from '#shared/search.ts';
import type { Asked } from './asked.ts';
import { answersByConditions, amongFirst, type Matches, questionsByConditions } from './by-conditions.ts';
import {
  all,
  answerConditions,
  any,
  contains,
  hasAll,
  isNarrowed,
  likeFor,
  ofAnswer,
  ofQuestion,
  questionConditions,
  type Searched,
  wholeWord,
} from './conditions.ts';
import { type Keys, keysOf } from './keys.ts';
import {
  type Among,
  amongNewest,
  type Best,
  bestOf,
  countOf,
  isFrequent,
  isPlannedOnce,
  newestOf,
  type Place,
} from './levels.ts';

/** A page of matches: `limit` rows at most from position `offset`. */
export type Window = { sort: SearchSort; offset: number; limit: number };

/** The matches counted, up to one more than are counted out loud. */
export type Counted = { total: number };

type Sql = RawBuilder<unknown>;

const most = countedResults + 1;

/**
 * Questions that contain the text as typed, also inside a word, or all its words in any inflection, and meet every
 * condition. By relevance they come in places, best first: title as typed, title inflected, tags as typed, tags inflected,
 * text as typed, text inflected (docs/product.md 11.2); in each place whole words before parts of words, then those with
 * more upvotes. Without words the newest are the most relevant.
 */
export async function matchingQuestions(db: Reader, { asked, ...window }: Window & { asked: Asked }) {
  const { ids, total } = await questionsFor(db, asked, window);
  if (ids.length === 0) return [];
  const { rows } = await sql<QuestionCardRow & Looked>`
    select ${cardColumns}, ${startOfText} as content from ${listed(ids)} join question post on post.id = listed.id ${bylineJoins}
    order by listed.position`.execute(db);
  return rows.map((row) => ({ ...row, total }));
}

/** The same for answers: the text as typed first, then inflected. */
export async function matchingAnswers(db: Reader, { asked, ...window }: Window & { asked: Asked }) {
  const { ids, total } = await answersFor(db, asked, window);
  if (ids.length === 0) return [];
  const { rows } = await sql<AnswerCardRow & Looked>`
    select ${answerCardColumns}, question.title, ${startOfText} as content from ${listed(ids)} join answer post on post.id = listed.id
    join question on question.id = post.question_id ${bylineJoins}
    order by listed.position`.execute(db);
  return rows.map((row) => ({ ...row, total }));
}

/** What is looked through for what to mark. */
export type Looked = { title: string; content: string };

/** So much of a text is looked through, in characters. */
const startOfText = sql`left(post.content, 20000)`;

const listed = (ids: readonly number[]) =>
  sql`unnest(${[...ids]}::bigint[]) with ordinality as listed (id, position)`;

/** What decides where a match is found: the words, or the first text to be found as typed. */
function mainText({ text, phrases }: Asked): string {
  return text === '' ? (phrases[0] ?? '') : text;
}

async function questionsFor(db: Reader, asked: Asked, window: Window): Promise<Matches> {
  const main = mainText(asked);
  if (main === '') return questionsByConditions(db, asked, window);
  const keys = await keysOf(db, main, asked.text !== '');
  const among = {
    table: 'question',
    conditions: questionConditions(asked),
    narrowed: isNarrowed(asked),
  } as const;
  if (keys.whole === null) return amongFirst(db, matchesOf(ofQuestion, asked, main), among, window);
  const hide = isPlannedOnce(among);
  const anywhere = placesIn(everywhere, keys, main, hide);
  const named = [...placesIn(inTitle, keys, main, hide), ...placesIn(inTags, keys, main, hide)];
  const places = { named, anywhere, cheap: matchesOf(ofQuestion, asked, main) };
  return counted(db, { found: await page(db, places, among, window), anywhere, among, window });
}

async function answersFor(db: Reader, asked: Asked, window: Window): Promise<Matches> {
  const main = mainText(asked);
  if (main === '') return answersByConditions(db, asked, window);
  const keys = await keysOf(db, main, asked.text !== '');
  const among = {
    table: 'answer',
    conditions: answerConditions(asked),
    narrowed: isNarrowed(asked),
  } as const;
  if (keys.whole === null) return amongFirst(db, matchesOf(ofAnswer, asked, main), among, window);
  const anywhere = placesIn(inAnswer, keys, main, isPlannedOnce(among));
  const places = { named: [], anywhere, cheap: matchesOf(ofAnswer, asked, main) };
  return counted(db, { found: await page(db, places, among, window), anywhere, among, window });
}

/** Never fewer than are shown. */
async function counted(
  db: Reader,
  {
    found: { ids, all },
    anywhere,
    among,
    window,
  }: { found: Best; anywhere: readonly Place[]; among: Among; window: Window },
): Promise<Matches> {
  const total = all ?? (await countOf(db, anywhere, { ...among, most }));
  const shown = ids.length === 0 ? 0 : window.offset + ids.length;
  return { ids, total: Math.min(most, Math.max(total, shown)) };
}

type Places = { named: readonly Place[]; anywhere: readonly Place[]; cheap: Sql };

async function page(
  db: Reader,
  { named, anywhere, cheap }: Places,
  among: Among,
  { sort, offset, limit }: Window,
): Promise<Best> {
  const wanted = offset + limit;
  if (sort === 'popular') {
    const { ids, all } = await bestOf(db, anywhere, { ...among, wanted, together: true });
    return { ids: ids.slice(offset), all };
  }
  if (sort === 'recent') {
    const frequent = !among.narrowed && (await isFrequent(db, anywhere, among));
    const found = frequent ? await amongNewest(db, cheap, { ...among, wanted }) : [];
    if (found.length >= wanted) return { ids: found.slice(offset), all: null };
    return { ids: (await newestOf(db, anywhere, { ...among, wanted })).slice(offset), all: null };
  }
  const first = named.length === 0 ? [] : (await bestOf(db, named, { ...among, wanted })).ids;
  if (first.length >= wanted) return { ids: first.slice(offset), all: null };
  const { ids, all } = await bestOf(db, anywhere, { ...among, wanted });
  return { ids: [...new Set([...first, ...ids])].slice(offset, wanted), all };
}

/** What is compared where no index of words leads to it. */
function matchesOf(searched: Searched, asked: Asked, main: string): Sql {
  return any([contains(searched, main), asked.text === '' ? sql`false` : hasAll(searched, main)]);
}

/** Where words are looked for, as the indexes of the schema section Discovery have it, and the texts that letters are compared in. */
type Field = { words: Sql; stems: Sql; texts: readonly [Sql, ...Sql[]]; wholeFirst: boolean };

const inTitle: Field = {
  words: sql`search_words(post.title)`,
  stems: sql`search_stems(post.title)`,
  texts: [sql`post.title`],
  wholeFirst: true,
};
const inTags: Field = {
  words: sql`search_words(post.tag_text)`,
  stems: sql`search_stems(post.tag_text)`,
  texts: [sql`post.tag_text`],
  wholeFirst: true,
};
const everywhere: Field = {
  words: sql`search_words(post.title || ' ' || post.tag_text || ' ' || post.content)`,
  stems: sql`post.search_vector`,
  texts: ofQuestion.texts,
  wholeFirst: false,
};
const inAnswer: Field = {
  words: sql`search_words(post.content)`,
  stems: sql`post.search_vector`,
  texts: ofAnswer.texts,
  wholeFirst: false,
};

/** Titles that contain the text as typed, whole words before parts of words. */
export function titlePlaces(keys: Keys, text: string): Place[] {
  return keys.whole === null ? [] : placesIn(inTitle, keys, text, true);
}

/**
 * As typed, whole words before parts of words where that matters, and then in any inflection. There are as many places
 * whatever was asked for, since each form of a statement is planned by itself: where there is nothing to look for, as
 * inside of words, the query is null, and nothing is read.
 */
function placesIn(field: Field, keys: Keys, main: string, hide: boolean): Place[] {
  const { whole, inside, insideOfAll, exact } = keys;
  const has = (query: string | null) => sql`${field.words} @@ ${valueOf(hide, query, 'tsquery')}`;
  const typed = exact ? [] : [containing(field, main, hide)];
  if (!field.wholeFirst) {
    const ofAll = either(keys, insideOfAll);
    return [
      {
        keys: has(either(keys, inside)),
        keysOfAll: has(ofAll),
        // Whole words are among those in any inflection.
        isWithin: insideOfAll === null && keys.stems !== null && keys.parts.length === 0,
        compared: typed,
      },
      ...inflected(field, keys, hide),
    ];
  }
  const word = wholeWord(main);
  const bounded = exact
    ? []
    : [any(field.texts.map((text) => sql`${text} ~* ${valueOf(hide, word, 'text')}`))];
  return [
    { keys: has(whole), compared: [...typed, ...bounded] },
    { keys: has(inside), keysOfAll: has(insideOfAll), compared: typed },
    ...inflected(field, keys, hide),
  ];
}

/** What one word may be a part of is all there is of `inside`; of several words, they themselves are in it. */
function either({ whole, exact }: Keys, inside: string | null): string | null {
  if (inside === null || whole === null) return inside ?? whole;
  return exact ? `${whole} | ${inside}` : inside;
}

function inflected(field: Field, { stems, parts }: Keys, hide: boolean): Place[] {
  const words = parts.flatMap(({ query }) => (query === null ? [] : [`(${query})`]));
  const asked: [Sql, string | null][] = parts.length === 0 || stems !== null ? [[field.stems, stems]] : [];
  if (words.length > 0) asked.push([field.words, words.join(' & ')]);
  if (asked.length === 0) return [];
  return [
    {
      keys: all(asked.map(([vector, query]) => sql`${vector} @@ ${valueOf(hide, query, 'tsquery')}`)),
      compared: parts.flatMap(({ text }) => (text === null ? [] : [containing(field, text, hide)])),
    },
  ];
}

/** `hide`: so that the statement is not planned for it (platform/prepared.ts). */
function valueOf(hide: boolean, value: string | null, type: 'text' | 'tsquery'): Sql {
  const typed = sql`${value}::${sql.raw(type)}`;
  return hide ? sql`(select ${typed})` : typed;
}

function containing({ texts }: Field, part: string, hide: boolean): Sql {
  return any(texts.map((text) => sql`${text} ${likeFor(part)} ${valueOf(hide, likeContains(part), 'text')}`));
}
