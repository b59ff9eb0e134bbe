import { sql } from 'kysely';
import type { Reader } from '#server/platform/database.ts';
import { bylineJoins } from '#server/posts/post.ts';
import { cardColumns, type QuestionCardRow } from '#server/questions/cards.ts';
import type { KnownTag } from './tag-names.ts';
import { type KnownWord, type Likeness, titleWeight } from './weights.ts';

/** A question's text, its tags as one text. */
export type Text = { title: string; content: string; tags: string };

/** A word in so many questions is counted; for one in more, PostgreSQL's statistics have to do. */
const counted = 100;

/**
 * The words of a text with the number of questions they stand in, and the number of all questions. Of the common words
 * ANALYZE knows how many; the others are counted, and in answers where only those have them.
 */
export async function wordsOf(db: Reader, text: Text): Promise<{ words: KnownWord[]; total: number }> {
  const { rows } = await sql<KnownWord & { total: number }>`
    with asked as (
      select to_tsvector('english', ${text.title}) as title,
        to_tsvector('english', ${text.content}) as content, to_tsvector('english', ${text.tags}) as tags
    ), word as (
      select lexeme as word, sum(times)::float8 as used
      from asked, lateral (
        select lexeme, ${titleWeight}::int * cardinality(positions) as times from unnest(title)
        union all select lexeme, cardinality(positions) from unnest(content)
        union all select lexeme, cardinality(positions) from unnest(tags)
      ) each
      group by lexeme
    ), common as materialized (
      select element.word, element.share
      from pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) as element (word, share)
      where schemaname = current_schema() and tablename = 'question' and attname = 'words'
    ), size as materialized (
      select greatest(
        (select reltuples from pg_class where oid = 'question'::regclass)::float8,
        (select count(*) from (select from question limit 1000) few)
      ) as total
    ), found as (
      select word.word, word.used, common.share, size.total, case when common.share is null then
          coalesce(
            nullif((select count(*) from (
              select from question where words @@ quote_literal(word.word)::tsquery limit ${sql.lit(counted)}
            ) few), 0),
            (select count(*) from (
              select from answer where words @@ quote_literal(word.word)::tsquery limit ${sql.lit(counted)}
            ) few)
          )
        end as questions
      from size cross join word left join common on common.word = word.word
    )
    select word, used, total, greatest(
        share * total,
        case when questions < ${sql.lit(counted)} then questions else (select min(share) * total from common) end,
        questions
      )::float8 as questions
    from found`.execute(db);
  return { words: rows, total: rows[0]?.total ?? 0 };
}

/** By how much a word counts for a question by its place: title, tags, text; and in the text of an answer. */
const places = { text: 0.6, tags: 0.8, title: 1, answer: 0.4 } as const;

/** `ts_rank` takes the weights of the places D, C, B and A (migration 0002). */
const inQuestion = sql.lit(`{${places.text},${places.text},${places.tags},${places.title}}`);
const inAnswer = sql.lit(`{${places.answer},${places.answer},${places.answer},${places.answer}}`);

/** Of a question with more answers, the newest are compared. */
const answersCompared = 20;

/** `score` is a share of what the text itself would have: 1 for the same words in the same places. */
export type SimilarRow = QuestionCardRow & { score: number };

/**
 * The questions that are most alike, best first. Each is ranked by its own words, and by those of its answers, of which
 * the best counts most (the root of the sum of squares); a long text by the logarithm of its length less (`ts_rank`, 1).
 */
export async function mostSimilar(
  db: Reader,
  wanted: Likeness & { text: Text; except: number | null; candidatesAtMost: number; limit: number },
) {
  const { text, candidates, weighed, except, candidatesAtMost, limit } = wanted;
  const queries = weighed.map(({ query }) => query);
  const weights = weighed.map(({ weight }) => weight);
  const { rows } = await sql<SimilarRow>`
    with asked as materialized (
      select * from unnest(${queries}::text[]::tsquery[], ${weights}::float8[]) as asked (query, weight)
    ), itself as materialized (
      select sum(ts_rank(
          ${inQuestion},
          setweight(to_tsvector('english', ${text.title}), 'A') || setweight(to_tsvector('english', ${text.tags}), 'B')
            || setweight(to_tsvector('english', ${text.content}), 'D'),
          query, 1
        ) * weight) as score
      from asked
    ), candidate as materialized (
      (select id from question where words @@ ${candidates}::tsquery limit ${candidatesAtMost})
      union
      (select question_id from answer where words @@ ${candidates}::tsquery limit ${candidatesAtMost})
    ), ranked as materialized (
      select candidate.id, own.score + coalesce(answers.score, 0) as score
      from candidate
      join question on question.id = candidate.id
      cross join lateral (
        select sum(ts_rank(${inQuestion}, question.words, query, 1) * weight) as score from asked
      ) own
      cross join lateral (
        select sqrt(sum(one.score * one.score)) as score from (
          select words from answer where question_id = candidate.id
          order by created_at desc, id desc limit ${sql.lit(answersCompared)}
        ) answer
        cross join lateral (
          select sum(ts_rank(${inAnswer}, answer.words, query, 1) * weight) as score from asked
        ) one
      ) answers
      where candidate.id is distinct from ${except}::bigint
      order by score desc, candidate.id desc limit ${limit}
    )
    select ${cardColumns}, ranked.score / itself.score as score
    from ranked cross join itself join question post on post.id = ranked.id ${bylineJoins}
    order by ranked.score desc, post.id desc`.execute(db);
  return rows;
}

/** The text of a question as it stands; undefined where there is none. */
export async function questionText(db: Reader, id: number) {
  const { rows } = await sql<{ title: string; content: string; tags: string[] }>`
    select title, left(content, ${sql.lit(contentCompared)}) as content, array(
      select tag.name from question_tag join tag on tag.id = question_tag.tag_id
      where question_tag.question_id = question.id order by position
    ) as tags
    from question where id = ${id}`.execute(db);
  return rows[0];
}

/** Imported questions may be longer than what members write; the words of the beginning say what they are about. */
const contentCompared = 5000;

/** Those of the tags named that exist. */
export async function knownTags(db: Reader, keys: readonly string[]): Promise<KnownTag[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<KnownTag>`
    select key, name, questions_count as "questionsCount" from tag where key = any(${[...keys]}::text[])`.execute(
    db,
  );
  return rows;
}

type Followers = { keys: readonly string[]; exceptMember: number };

/** Members who follow one of the tags or more. */
export async function audienceOf(db: Reader, { keys, exceptMember }: Followers): Promise<number> {
  const { rows } = await sql<{ members: number }>`
    select count(distinct follow.member_id) as members from tag join tag_follow follow on follow.tag_id = tag.id
    where tag.key = any(${[...keys]}::text[]) and follow.member_id <> ${exceptMember}`.execute(db);
  return rows[0]?.members ?? 0;
}

/** By the key of the tag; one that nobody follows may be missing. */
export async function followersOf(db: Reader, { keys, exceptMember }: Followers) {
  const { rows } = await sql<{ key: string; followers: number }>`
    select tag.key, count(*) as followers from tag join tag_follow follow on follow.tag_id = tag.id
    where tag.key = any(${[...keys]}::text[]) and follow.member_id <> ${exceptMember}
    group by tag.key`.execute(db);
  return new Map(rows.map((row) => [row.key, row.followers]));
}
