import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Reader } from '#server/core/database.ts';
import { planOnceHint } from '#server/core/database-prepared-statements.ts';
import { bylineJoins, questionCardColumns, type QuestionCardRow } from '#server/posts/index.ts';
import type { ExistingTag } from './similar-tags.ts';
import { type WordCount, type SimilarityQuery, titleWeight } from './similar-weights.ts';

/** The text of a question, with its tags as one text. */
export type QuestionText = { title: string; content: string; tags: string };

/** Questions are counted up to this number. For more frequent words, PostgreSQL's statistics are used. */
const maxCounted = 100;

/** The words that most questions have, with the share of questions, and the total number of questions. */
type CommonWords = { shares: ReadonlyMap<string, number>; minShare: number; total: number };

type WordCounts = {
  common: Promise<CommonWords>;
  /** The counted number of questions for the other words. */
  rare: LRUCache<string, number>;
};

/** Milliseconds for which the frequencies are cached. */
const cacheMs = 10 * 60_000;

/** One cache per database connection pool. Reading five thousand words for each question took a tenth of the time. */
const wordCounts = new WeakMap<Reader, LRUCache<'known', WordCounts>>();

function getWordCounts(db: Reader): WordCounts {
  const cache = wordCounts.get(db) ?? new LRUCache<'known', WordCounts>({ max: 1, ttl: cacheMs });
  wordCounts.set(db, cache);
  const found = cache.get('known');
  if (found !== undefined) return found;
  const read = { common: readCommonWords(db), rare: new LRUCache<string, number>({ max: 20_000 }) };
  cache.set('known', read);
  // In a small community, each new question changes the frequencies.
  read.common.then(
    ({ total }) => total < manyQuestions && cache.delete('known'),
    () => cache.delete('known'),
  );
  return read;
}

async function readCommonWords(db: Reader): Promise<CommonWords> {
  const { rows } = await sql<{ total: number; words: string[] | null; shares: number[] | null }>`
    select greatest(
        (select reltuples from pg_class where oid = 'base_question'::regclass)::float8,
        (select count(*) from (select from question limit 1000) few)
      ) as total, most_common_elems::text::text[] as words, most_common_elem_freqs::float8[] as shares
    from (select) one left join pg_stats
      on schemaname = current_schema() and tablename = 'base_question' and attname = 'search_vector'`.execute(
    db,
  );
  const { total = 0, words, shares } = rows[0] ?? {};
  const frequencies = new Map((words ?? []).map((word, index) => [word, shares?.[index] ?? 0]));
  return { shares: frequencies, minShare: Math.min(...frequencies.values()), total };
}

/**
 * Returns the words of a text with the number of questions that have them, and the total number of questions. ANALYZE
 * provides the numbers of common words. Others are counted; a word that no question has is counted in answers.
 */
export async function countWords(
  db: Reader,
  text: QuestionText,
): Promise<{ words: WordCount[]; total: number }> {
  const cached = getWordCounts(db);
  const [{ shares, minShare, total }, { rows }] = await Promise.all([
    cached.common,
    sql<{ word: string; used: number }>`
      select lexeme as word, sum(times)::float8 as used from (
        select lexeme, ${titleWeight}::int * cardinality(positions) as times
        from unnest(search_parsed(${text.title}))
        union all select lexeme, cardinality(positions) from unnest(search_parsed(${text.content}))
        union all select lexeme, cardinality(positions) from unnest(search_parsed(${text.tags}))
      ) each
      group by lexeme`.execute(db),
  ]);
  const missing = rows.map(({ word }) => word).filter((word) => !shares.has(word) && !cached.rare.has(word));
  const counted = await countQuestionsWith(db, missing);
  for (const [word, questions] of counted) cached.rare.set(word, questions);
  const words = rows.map(({ word, used }): WordCount => {
    const share = shares.get(word);
    if (share !== undefined) return { word, used, questions: share * total };
    const questions = counted.get(word) ?? cached.rare.get(word) ?? 0;
    const atLeast = questions < maxCounted || shares.size === 0 ? questions : minShare * total;
    return { word, used, questions: Math.max(questions, atLeast) };
  });
  return { words, total };
}

/** From this number of questions on, words are not counted for each text. */
const manyQuestions = 5_000;

/** Returns the number of questions that have each word, or of answers if no question has it, up to `maxCounted`. */
async function countQuestionsWith(db: Reader, words: readonly string[]): Promise<Map<string, number>> {
  if (words.length === 0) return new Map();
  const countIn = (table: string) => sql`
    select count(*) from (
      select from ${sql.table(table)} where search_vector @@ quote_literal(word)::tsquery limit ${sql.lit(maxCounted)}
    ) few`;
  const { rows } = await sql<{ word: string; questions: number }>`
    ${planOnceHint}select word, coalesce(nullif((${countIn('question')}), 0), (${countIn('answer')})) as questions
    from unnest((select ${[...words]}::text[])) as word`.execute(db);
  return new Map(rows.map(({ word, questions }) => [word, questions]));
}

/** Weight of a word by its field: title, tags or text of the question, or the text of an answer. */
const fieldWeights = { text: 0.6, tags: 0.8, title: 1, answer: 0.4 } as const;

/** `ts_rank` takes the weights in the order D, C, B, A (schema section Posts). */
const inQuestion = sql.lit(
  `{${fieldWeights.text},${fieldWeights.text},${fieldWeights.tags},${fieldWeights.title}}`,
);
const inAnswer = sql.lit(
  `{${fieldWeights.answer},${fieldWeights.answer},${fieldWeights.answer},${fieldWeights.answer}}`,
);

/** Answers compared per question at most; the newest ones. */
const answersCompared = 20;

/** `score` is relative to the score of the same text: 1 for the same words in the same fields. */
export type SimilarRow = QuestionCardRow & { score: number };

/**
 * Returns the most similar questions, best first. The rank combines the question's own words and those of its answers
 * as the root of the sum of squares, so the best one counts most. `ts_rank` (normalization 1) divides by the logarithm
 * of the length.
 */
export async function findMostSimilar(
  db: Reader,
  wanted: SimilarityQuery & {
    text: QuestionText;
    except: number | null;
    candidatesAtMost: number;
    limit: number;
  },
) {
  const { text, candidates, weighed, except, candidatesAtMost, limit } = wanted;
  const queries = weighed.map(({ query }) => query);
  const weights = weighed.map(({ weight }) => weight);
  const { rows } = await sql<SimilarRow>`
    ${planOnceHint}with asked as materialized (
      select * from unnest((select ${queries}::text[]::tsquery[]), (select ${weights}::float8[])) as asked (query, weight)
    ), itself as materialized (
      select sum(ts_rank(${inQuestion}, own.search_vector, query, 1) * weight) as score
      from asked cross join (
        select setweight(search_parsed(${text.title}), 'A') || setweight(search_parsed(${text.tags}), 'B')
          || setweight(search_parsed(${text.content}), 'D') as search_vector
        -- Once, not for each word.
        offset 0
      ) own
    ), candidate as materialized (
      (select id from question where search_vector @@ (select ${candidates}::tsquery) limit ${sql.lit(candidatesAtMost)})
      union
      (select question_id from answer where search_vector @@ (select ${candidates}::tsquery) limit ${sql.lit(candidatesAtMost)})
    ), ranked as materialized (
      select candidate.id, own.score + coalesce(answers.score, 0) as score
      from candidate
      join question on question.id = candidate.id
      cross join lateral (
        select sum(ts_rank(${inQuestion}, question.search_vector, query, 1) * weight) as score from asked
      ) own
      cross join lateral (
        select sqrt(sum(one.score * one.score)) as score from (
          select search_vector from answer where question_id = candidate.id
          order by created_at desc, id desc limit ${sql.lit(answersCompared)}
        ) answer
        cross join lateral (
          select sum(ts_rank(${inAnswer}, answer.search_vector, query, 1) * weight) as score from asked
        ) one
      ) answers
      where candidate.id is distinct from ${except}::bigint
      order by score desc, candidate.id desc limit ${sql.lit(limit)}
    )
    select ${questionCardColumns}, ranked.score / itself.score as score
    from ranked cross join itself join question post on post.id = ranked.id ${bylineJoins}
    order by ranked.score desc, post.id desc`.execute(db);
  return rows;
}

/** Returns the text of a question, undefined if it does not exist. */
export async function findQuestionText(db: Reader, id: number) {
  const { rows } = await sql<{ title: string; content: string; tags: string[] }>`
    select title, left(content, ${sql.lit(contentCompared)}) as content, array(
      select tag.name from question_tag join tag on tag.id = question_tag.tag_id
      where question_tag.question_id = question.id order by position
    ) as tags
    from question where id = ${id}`.execute(db);
  return rows[0];
}

/** Characters compared. Imported questions can be longer than the limit; their beginning has the relevant words. */
const contentCompared = 5000;

/** Returns those of the tags that exist. */
export async function listTags(db: Reader, keys: readonly string[]): Promise<ExistingTag[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<ExistingTag>`
    select key, name, questions_count as "questionsCount" from tag where key = any(${[...keys]}::text[])`.execute(
    db,
  );
  return rows;
}

type Followers = { keys: readonly string[]; exceptMember: number };

/** Counts the members who follow at least one of the tags. */
export async function countAudience(db: Reader, { keys, exceptMember }: Followers): Promise<number> {
  const { rows } = await sql<{ members: number }>`
    select count(distinct follow.member_id) as members from tag join tag_follow follow on follow.tag_id = tag.id
    where tag.key = any(${[...keys]}::text[]) and follow.member_id <> ${exceptMember}`.execute(db);
  return rows[0]?.members ?? 0;
}

/** Returns the number of followers by tag key. Tags without followers can be missing. */
export async function countFollowers(db: Reader, { keys, exceptMember }: Followers) {
  const { rows } = await sql<{ key: string; followers: number }>`
    select tag.key, count(*) as followers from tag join tag_follow follow on follow.tag_id = tag.id
    where tag.key = any(${[...keys]}::text[]) and follow.member_id <> ${exceptMember}
    group by tag.key`.execute(db);
  return new Map(rows.map((row) => [row.key, row.followers]));
}
