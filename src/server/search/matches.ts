import { type RawBuilder, sql } from 'kysely';
import { answerCardColumns, type AnswerCardRow } from '#server/answers/cards.ts';
import type { Reader } from '#server/platform/database.ts';
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
  ofAnswer,
  ofQuestion,
  questionConditions,
  type Searched,
  wholeWord,
} from './conditions.ts';
import { type Keys, keysOf } from './keys.ts';
import { type Among, amongNewest, bestOf, countOf, isFrequent, newestOf, type Place } from './levels.ts';

/** A page of matches: `limit` rows at most from position `offset`. */
export type Window = { sort: SearchSort; offset: number; limit: number };

/** The matches counted, up to one more than are counted out loud. */
export type Counted = { total: number };

type Sql = RawBuilder<unknown>;

const most = countedResults + 1;

/**
 * Questions that contain the text as typed, also inside a word, or all its words in any inflection, and meet every
 * condition. By relevance they come in places, best first: title as typed, title inflected, tags as typed, tags inflected,
 * text as typed, text inflected (DECISIONS section 5.3); in each place whole words before parts of words, then those with
 * more upvotes. Without words the newest are the most relevant.
 */
export async function matchingQuestions(db: Reader, { asked, ...window }: Window & { asked: Asked }) {
  const { ids, total } = await questionsFor(db, asked, window);
  const { rows } = await sql<QuestionCardRow>`
    select ${cardColumns} from ${listed(ids)} join question post on post.id = listed.id ${bylineJoins}
    order by listed.position`.execute(db);
  return rows.map((row) => ({ ...row, total }));
}

/** The same for answers: the text as typed first, then inflected. */
export async function matchingAnswers(db: Reader, { asked, ...window }: Window & { asked: Asked }) {
  const { ids, total } = await answersFor(db, asked, window);
  const { rows } = await sql<AnswerCardRow>`
    select ${answerCardColumns} from ${listed(ids)} join answer post on post.id = listed.id
    join question on question.id = post.question_id ${bylineJoins}
    order by listed.position`.execute(db);
  return rows.map((row) => ({ ...row, total }));
}

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
  const anywhere = placesIn(everywhere, keys, main);
  const named = [...placesIn(inTitle, keys, main), ...placesIn(inTags, keys, main)];
  return {
    ids: await page(db, { named, anywhere, cheap: matchesOf(ofQuestion, asked, main) }, among, window),
    total: await countOf(db, anywhere, { ...among, most }),
  };
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
  const anywhere = placesIn(inAnswer, keys, main);
  return {
    ids: await page(db, { named: [], anywhere, cheap: matchesOf(ofAnswer, asked, main) }, among, window),
    total: await countOf(db, anywhere, { ...among, most }),
  };
}

type Places = { named: readonly Place[]; anywhere: readonly Place[]; cheap: Sql };

async function page(
  db: Reader,
  { named, anywhere, cheap }: Places,
  among: Among,
  { sort, offset, limit }: Window,
): Promise<number[]> {
  const wanted = offset + limit;
  if (sort === 'popular')
    return (await bestOf(db, anywhere, { ...among, wanted, together: true })).slice(offset);
  if (sort === 'recent') {
    const frequent = !among.narrowed && (await isFrequent(db, anywhere, among));
    const found = frequent ? await amongNewest(db, cheap, { ...among, wanted }) : [];
    if (found.length >= wanted) return found.slice(offset);
    return (await newestOf(db, anywhere, { ...among, wanted })).slice(offset);
  }
  const first = named.length === 0 ? [] : await bestOf(db, named, { ...among, wanted });
  if (first.length >= wanted) return first.slice(offset);
  const found = await bestOf(db, anywhere, { ...among, wanted });
  return [...new Set([...first, ...found])].slice(offset, wanted);
}

/** What is compared where no index of words leads to it. */
function matchesOf(searched: Searched, asked: Asked, main: string): Sql {
  return any([contains(searched, main), asked.text === '' ? sql`false` : hasAll(searched, main)]);
}

/** Where words are looked for, as the indexes of migration 0014 have it, and the texts that letters are compared in. */
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
  stems: sql`post.words`,
  texts: ofQuestion.texts,
  wholeFirst: false,
};
const inAnswer: Field = {
  words: sql`search_words(post.content)`,
  stems: sql`post.words`,
  texts: ofAnswer.texts,
  wholeFirst: false,
};

/** Titles that contain the text as typed, whole words before parts of words. */
export function titlePlaces(keys: Keys, text: string): Place[] {
  return keys.whole === null ? [] : placesIn(inTitle, keys, text);
}

/** As typed, whole words before parts of words where that matters, and then in any inflection. */
function placesIn(field: Field, keys: Keys, main: string): Place[] {
  const { whole, inside, exact } = keys;
  const has = (query: string): Sql => sql`${field.words} @@ ${query}::tsquery`;
  const typed = exact ? [] : [contains(field, main)];
  const places: Place[] = [];
  if (field.wholeFirst && whole !== null) {
    const bounded = exact ? [] : [any(field.texts.map((text) => sql`${text} ~* ${wholeWord(main)}`))];
    places.push({ keys: has(whole), compared: [...typed, ...bounded] });
    if (inside !== null) places.push({ keys: has(inside), compared: typed });
  } else {
    const either = [whole, inside].filter((query) => query !== null);
    places.push({ keys: has(either.join(' | ')), compared: typed });
  }
  return [...places, ...inflected(field, keys)];
}

function inflected(field: Field, { stems, parts }: Keys): Place[] {
  const words = parts.flatMap(({ query }) => (query === null ? [] : [query]));
  const keys = [
    ...(stems === null ? [] : [sql`${field.stems} @@ ${stems}::tsquery`]),
    ...(words.length === 0
      ? []
      : [sql`${field.words} @@ ${words.map((query) => `(${query})`).join(' & ')}::tsquery`]),
  ];
  if (keys.length === 0) return [];
  return [
    {
      keys: all(keys),
      compared: parts.flatMap(({ text }) => (text === null ? [] : [contains(field, text)])),
    },
  ];
}
