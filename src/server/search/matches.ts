import { type RawBuilder, sql } from 'kysely';
import { answerCardColumns, type AnswerCardRow } from '#server/answers/cards.ts';
import type { Reader } from '#server/platform/database.ts';
import { bylineJoins } from '#server/posts/post.ts';
import { cardColumns, type QuestionCardRow } from '#server/questions/cards.ts';
import { countedResults, type SearchSort } from '#shared/search.ts';
import type { Asked } from './asked.ts';
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
  wholeWord,
} from './conditions.ts';

/** A page of matches: `limit` rows at most from position `offset`. */
export type Window = { sort: SearchSort; offset: number; limit: number };

/** The matches counted, up to one more than are counted out loud. */
export type Counted = { total: number };

type Sql = RawBuilder<unknown>;

const most = countedResults + 1;
const counted = sql`(select count(*) from (select 1 from match limit ${sql.lit(most)}) counted) as total`;

/** Where no index leads to what is asked for, that many posts are looked at, the first in the order of the results. */
const lookedAt = sql.lit(25_000);
const firstOfEach = sql.lit(10_000);

const orders = {
  recent: sql`post.created_at desc, post.id desc`,
  popular: sql`post.upvotes desc, post.id desc`,
};

/** Questions with their places, which have an index by upvotes. */
const placedQuestions = sql`question_place place join question post on post.id = place.question_id`;
const placedPopular = sql`place.upvotes desc, place.question_id desc`;

/**
 * Questions that contain the text as typed, also inside a word, or all its words in any inflection, and meet every
 * condition. By relevance they come in places, best first: title as typed, title inflected, tags as typed, tags inflected,
 * text as typed, text inflected (DECISIONS section 5.3); in each place whole words before parts of words, then those with
 * more upvotes. Without words the newest are the most relevant.
 */
export async function matchingQuestions(db: Reader, { asked, ...window }: Window & { asked: Asked }) {
  const { sort, offset, limit } = window;
  const main = mainText(asked);
  const match =
    main === ''
      ? questionsByConditions(asked, window)
      : questionsByText(asked, { ...window, frequent: !isNarrowed(asked) && (await isFrequent(db, asked)) });
  const order = {
    relevance: main === '' ? orders.recent : sql`place, inside_word, post.upvotes desc, post.id desc`,
    ...orders,
  }[sort];
  const { rows } = await sql<QuestionCardRow & Counted>`
    with match as materialized (${match.candidates}),
    found as materialized (select match.id, ${main === '' ? sql`1 as place, false as inside_word` : placing(asked)}
      from match join question post on post.id = match.id),
    shown as (
      select found.* from found join question post on post.id = found.id
      order by ${order} limit ${limit} offset ${offset}
    )
    select ${cardColumns}, (select count(*) from (${match.all}) counted) as total
    from shown join question post on post.id = shown.id ${bylineJoins}
    order by ${order}`.execute(db);
  return rows;
}

/** The same for answers: the text as typed first, then inflected. */
export async function matchingAnswers(db: Reader, { asked, ...window }: Window & { asked: Asked }) {
  const { sort, offset, limit } = window;
  const main = mainText(asked);
  const match = main === '' ? answersByConditions(asked, window) : answersByText(asked, window);
  const order = {
    relevance: main === '' ? orders.recent : sql`match.inflected, post.upvotes desc, post.id desc`,
    ...orders,
  }[sort];
  const { rows } = await sql<AnswerCardRow & Counted>`
    with match as materialized (${match})
    select ${answerCardColumns}, ${counted}
    from match join answer post on post.id = match.id
    join question on question.id = post.question_id ${bylineJoins}
    order by ${order} limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/** What decides where a match is found: the words, or the first text to be found as typed. */
function mainText({ text, phrases }: Asked): string {
  return text === '' ? (phrases[0] ?? '') : text;
}

/** `candidates` has those among which the page is, `all` as many as are counted. */
type Match = { candidates: Sql; all: Sql };

/** Conditions alone: the first in the order of the results. */
function questionsByConditions(asked: Asked, window: Window): Match {
  const popular = window.sort === 'popular';
  const order = popular ? orders.popular : orders.recent;
  const [questions, indexed] = popular
    ? [placedQuestions, placedPopular]
    : [sql`question post`, orders.recent];
  // Views change too often for an index.
  const unindexed = asked.numbers.some(({ field }) => field === 'views') && !isNarrowed(asked);
  const from = unindexed
    ? sql`(select post.* from ${questions} order by ${indexed} limit ${lookedAt}) post`
    : questions;
  const matching = sql`from ${from} where ${all(questionConditions(asked))}`;
  return {
    candidates: sql`select post.id ${matching} order by ${unindexed ? order : indexed} limit ${sql.lit(candidates(window))}`,
    all: sql`select 1 ${matching} limit ${sql.lit(most)}`,
  };
}

function answersByConditions(asked: Asked, window: Window): Sql {
  const order = window.sort === 'popular' ? orders.popular : orders.recent;
  // An index by votes would make every vote rewrite all that search knows of the answer.
  const from = isNarrowed(asked)
    ? sql`answer post`
    : sql`(select * from answer post order by ${orders.recent} limit ${lookedAt}) post`;
  return sql`
    select post.id, false as inflected from ${from} where ${all(answerConditions(asked))}
    order by ${order} limit ${sql.lit(countedOf(window))}`;
}

/**
 * By relevance, each place brings its own best candidates, so that a word that stands in every text does not keep what has
 * it in the title from being found, nor makes the search look at every text.
 */
function questionsByText(asked: Asked, { frequent, ...window }: Window & { frequent: boolean }): Match {
  const main = mainText(asked);
  const inflected = asked.text === '' ? sql`false` : hasAll(ofQuestion, main);
  const anywhere = any([contains(ofQuestion, main), inflected]);
  const where = all([anywhere, ...questionConditions(asked)]);
  if (!hasThreeInARow.test(main) && !isNarrowed(asked)) return amongFirst(where, window);
  // An expression is in no index: what is rare is found by its words and sorted, what is frequent met in the order.
  const [upvotes, created] = frequent
    ? [sql`place.upvotes`, sql`post.created_at`]
    : [sql`place.upvotes + 0`, sql`post.created_at + interval '0'`];
  const popular = sql`${upvotes} desc, place.question_id desc`;
  const pick = (matches: Sql, order: Sql) => sql`
    select post.id from ${placedQuestions} where ${all([matches, ...questionConditions(asked)])}
    order by ${order} limit ${sql.lit(candidates(window))}`;
  const counted = sql`select 1 from question post where ${where} limit ${sql.lit(most)}`;
  if (window.sort === 'recent')
    return { candidates: pick(anywhere, sql`${created} desc, post.id desc`), all: counted };
  if (window.sort === 'popular') return { candidates: pick(anywhere, popular), all: counted };

  const places = ofQuestion.texts.map((text) => pick(contains({ texts: [text] }, main), popular));
  if (asked.text !== '') {
    const [title, tags] = [inTitle(main), inTags(main)];
    places.push(pick(inflected, frequent ? popular : sql`${title} desc, ${tags} desc, ${popular}`));
    if (frequent) places.push(pick(title, popular));
  }
  return {
    candidates: sql.join(
      places.map((place) => sql`(${place})`),
      sql` union `,
    ),
    all: counted,
  };
}

const inTitle = (text: string) => hasAll({ ...ofQuestion, texts: [sql`post.title`] }, text, 'A');
const inTags = (text: string) => hasAll({ ...ofQuestion, texts: [sql`post.tag_text`] }, text, 'B');

/** What no index of parts can find is looked for among the newest questions and those with the most upvotes. */
function amongFirst(where: Sql, window: Window): Match {
  const order = window.sort === 'recent' ? orders.recent : orders.popular;
  // The offset keeps PostgreSQL from looking through all of them first.
  const candidates = sql`
    select post.id from (
      select * from question where id in (
        (select id from question order by created_at desc, id desc limit ${firstOfEach})
        union (
          select question_id from question_place order by upvotes desc, question_id desc limit ${firstOfEach}
        )
      ) offset 0
    ) post
    where ${where} order by ${order} limit ${sql.lit(countedOf(window))}`;
  return { candidates, all: sql`select 1 from match limit ${sql.lit(most)}` };
}

/** So many questions are asked whether words are frequent, and with so many of them they are. */
const sample = { size: 2000, frequent: 60 };

async function isFrequent(db: Reader, asked: Asked): Promise<boolean> {
  const main = mainText(asked);
  const anywhere = any([
    contains(ofQuestion, main),
    asked.text === '' ? sql`false` : hasAll(ofQuestion, main),
  ]);
  const { rows } = await sql<{ found: number }>`
    select count(*) as found
    from (select post.* from ${placedQuestions} order by ${placedPopular} limit ${sql.lit(sample.size)}) post
    where ${anywhere}`.execute(db);
  return (rows[0]?.found ?? 0) >= sample.frequent;
}

function answersByText(asked: Asked, window: Window): Sql {
  const main = mainText(asked);
  const typed = contains(ofAnswer, main);
  const inflected = asked.text === '' ? sql`false` : hasAll(ofAnswer, main);
  const order = window.sort === 'recent' ? orders.recent : orders.popular;
  return sql`
    select post.id, not ${typed} as inflected from answer post
    where ${all([any([typed, inflected]), ...answerConditions(asked)])}
    order by ${window.sort === 'relevance' ? sql`not ${typed}, ${order}` : order}
    limit ${sql.lit(countedOf(window))}`;
}

/** The place and whether it is inside a word, of `question post`. */
function placing(asked: Asked): Sql {
  const main = mainText(asked);
  const [title, tags, content] = ofQuestion.texts.map((text) => contains({ texts: [text] }, main));
  const inflected = (words: Sql) => (asked.text === '' ? sql`false` : words);
  const whole = wholeWord(main);
  return sql`
    case
      when ${title} then 1
      when ${inflected(inTitle(main))} then 2
      when ${tags} then 3
      when ${inflected(inTags(main))} then 4
      when ${content} then 5
      else 6
    end as place,
    case
      when ${title} then post.title !~* ${whole}
      when ${tags} then post.tag_text !~* ${whole}
      else false
    end as inside_word`;
}

/** Of each place, in steps, so that the next page is chosen among the same. */
function candidates({ offset, limit }: Window): number {
  return 300 * Math.ceil((offset + limit) / 300);
}

function countedOf({ offset, limit }: Window): number {
  return most * Math.ceil((offset + limit) / most);
}

/** The trigram indexes find texts by three letters or digits in a row. */
const hasThreeInARow = /[\p{L}\p{N}]{3}/u;
