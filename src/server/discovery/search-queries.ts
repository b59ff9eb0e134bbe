import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { planOnceHint } from '#server/core/database-prepared-statements.ts';
import { bylineJoins, questionCardColumns, type QuestionCardRow } from '#server/posts/index.ts';
import { likeContains, likePrefix } from '#server/core/sql.ts';
import { maxCountedResults } from '#shared/discovery/search.ts';
import type { WithTotal, PageWindow } from './search-matches.ts';
import { namePrefix } from './search-names.ts';
import { hasTrigram } from './search-words.ts';

const maxTotal = sql.lit(maxCountedResults + 1);

export type MemberRow = {
  id: number;
  display_name: string;
  created_at: Date;
  reputation: number;
  questions_count: number;
  answers_count: number;
};

/** Matching members that are sorted at most. */
const maxMembersSorted = sql.lit(10_000);

/**
 * No index serves a query without three letters or digits in a row. It is compared with this many of the newest
 * members' names.
 */
const maxMembersCompared = sql.lit(20_000);

/** Members whose name contains the query; names that begin with it come first. */
export async function findMembers(
  db: Reader,
  { query, sort, offset, limit }: PageWindow & { query: string },
) {
  const pattern = likeContains(query);
  const matching = hasTrigram.test(query)
    ? sql`select id from member where display_name ilike ${pattern} limit ${maxMembersSorted}`
    : sql`
      (select id from member where ${namePrefix} like lower(${likePrefix(query)}) limit ${maxMembersSorted})
      union
      (select id from (select id, display_name from member order by id desc limit ${maxMembersCompared}) newest
        where display_name ilike ${pattern})`;
  const order = {
    relevance: sql`member.display_name not ilike ${pattern.slice(1)}, member.reputation desc, member.id`,
    recent: sql`member.created_at desc, member.id desc`,
    popular: sql`member.reputation desc, member.id`,
  }[sort];
  const { rows } = await sql<MemberRow & WithTotal>`
    with match as materialized (${matching})
    select member.id, member.display_name, member.created_at, member.reputation,
      member.questions_count, member.answers_count,
      (select count(*) from (select 1 from match limit ${maxTotal}) counted) as total
    from match join member on member.id = match.id
    order by ${order} limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/** Minimum similarity (pg_trgm, 0 to 1) of texts that count as equal with typing errors. */
const minSimilarity = { question: '0.45', suggestion: '0.3' } as const;

type SimilarRequest = { query: string; limit: number; loosely: boolean };

/**
 * Questions with a title similar to the query, for queries with typing errors. All titles are compared only if no
 * popular question is similar (`popularity`, schema section Posts).
 */
export async function findSimilarQuestions(db: Reader, wanted: SimilarRequest) {
  const popular = await findAlike(db, wanted, sql`post.popularity <= 1`);
  return popular.length > 0 ? popular : findAlike(db, wanted, sql`true`);
}

/** Questions with one of the words in the title that are compared at most. */
const maxTitlesCompared = 200;

/**
 * Questions to suggest when a search finds nothing: titles with one of the words, most similar first. Only if there are
 * none, titles similar to the query with typing errors, because comparing all popular titles takes longer than any
 * search.
 */
export async function suggestQuestions(db: Reader, wanted: { query: string; limit: number }) {
  for (const condition of [sql`post.popularity <= 1`, sql`true`]) {
    const rows = await findTitlesWithWords(db, { ...wanted, condition });
    if (rows.length > 0) return rows;
  }
  return findSimilarQuestions(db, { ...wanted, loosely: true });
}

async function findTitlesWithWords(
  db: Reader,
  { query, limit, condition }: { query: string; limit: number; condition: RawBuilder<unknown> },
) {
  const text = sql`(select ${query}::text)`;
  const { rows } = await sql<{ id: number; title: string }>`
    ${planOnceHint}select id, title from (
      select * from question post where ${condition}
        and search_stems(post.title) @@ (select replace(plainto_tsquery('english', ${query})::text, '&', '|')::tsquery)
      limit ${sql.lit(maxTitlesCompared)}
    ) post
    order by word_similarity(${text}, title) desc, upvotes desc, id desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

async function findAlike(
  db: Reader,
  { query, limit, loosely }: SimilarRequest,
  condition: RawBuilder<unknown>,
) {
  const threshold = loosely ? minSimilarity.suggestion : minSimilarity.question;
  // The threshold of the operator `<%` is a setting, set here for this statement only. A condition without a table is
  // evaluated before PostgreSQL reads a table ("One-Time Filter" in the plan).
  const { rows } = await sql<QuestionCardRow>`
    with setting as materialized (
      select set_config('pg_trgm.word_similarity_threshold', ${threshold}, true) as threshold
    )
    select ${questionCardColumns} from question post ${bylineJoins}
    where (select threshold from setting) is not null and ${condition} and ${query} <% post.title
    order by word_similarity(${query}, post.title) desc, post.upvotes desc, post.id desc limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Names of tags similar to the query, or to one of its words. */
export async function findSimilarTags(
  db: Reader,
  { words, limit }: { words: readonly string[]; limit: number },
) {
  const { rows } = await sql<{ name: string }>`
    select tag.name from tag join unnest(${[...words]}::text[]) as word on tag.key % word
    where tag.questions_count > 0
    group by tag.id order by max(similarity(tag.key, word)) desc, tag.questions_count desc limit ${limit}`.execute(
    db,
  );
  return rows.map((row) => row.name);
}
