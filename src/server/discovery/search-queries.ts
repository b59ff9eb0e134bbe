import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { planOnceHint } from '#server/core/database-prepared-statements.ts';
import { bylineJoins } from '#server/posts/posts.ts';
import { questionCardColumns, type QuestionCardRow } from '#server/posts/cards.ts';
import { likeContains, likeStarts } from '#server/core/sql.ts';
import { maxCountedResults } from '#shared/discovery/search.ts';
import type { WithTotal, PageWindow } from './search-matches.ts';
import { namePrefix } from './search-names.ts';
import { hasTrigram } from './search-words.ts';

const most = sql.lit(maxCountedResults + 1);

export type MemberRow = {
  id: number;
  display_name: string;
  created_at: Date;
  reputation: number;
  questions_count: number;
  answers_count: number;
};

/** Of the members whose name contains the query, so many are put in order. */
const maxMembersSorted = sql.lit(10_000);

/** A query without three characters in a row, which no index finds inside names, is compared with so many: the newest. */
const maxMembersCompared = sql.lit(20_000);

/** Members whose name contains the query; names that begin with it first. */
export async function findMembers(
  db: Reader,
  { query, sort, offset, limit }: PageWindow & { query: string },
) {
  const pattern = likeContains(query);
  const matching = hasTrigram.test(query)
    ? sql`select id from member where display_name ilike ${pattern} limit ${maxMembersSorted}`
    : sql`
      (select id from member where ${namePrefix} like lower(${likeStarts(query)}) limit ${maxMembersSorted})
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
      (select count(*) from (select 1 from match limit ${most}) counted) as total
    from match join member on member.id = match.id
    order by ${order} limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/** How alike two texts have to be to count as the same with typing errors; between 0 and 1 (pg_trgm). */
const minSimilarity = { question: '0.45', suggestion: '0.3' } as const;

type SimilarRequest = { query: string; limit: number; loosely: boolean };

/**
 * Questions whose title has a part much like the query: what was probably meant. All titles are compared only where none
 * of the known questions is like it (`popularity`, schema section Posts).
 */
export async function findSimilarQuestions(db: Reader, wanted: SimilarRequest) {
  const popular = await findAlike(db, wanted, sql`post.popularity <= 1`);
  return popular.length > 0 ? popular : findAlike(db, wanted, sql`true`);
}

/** Of the questions with one of the words in their titles, so many are compared. */
const maxTitlesCompared = 200;

/**
 * Questions to suggest where nothing was found: titles with one of the words, the most alike first, and only where no
 * title has any, those alike but for typing errors. To compare all known titles takes longer than any search.
 */
export async function suggestQuestions(db: Reader, wanted: { query: string; limit: number }) {
  for (const among of [sql`post.popularity <= 1`, sql`true`]) {
    const rows = await findTitlesWithWords(db, { ...wanted, among });
    if (rows.length > 0) return rows;
  }
  return findSimilarQuestions(db, { ...wanted, loosely: true });
}

async function findTitlesWithWords(
  db: Reader,
  { query, limit, among }: { query: string; limit: number; among: RawBuilder<unknown> },
) {
  const text = sql`(select ${query}::text)`;
  const { rows } = await sql<{ id: number; title: string }>`
    ${planOnceHint}select id, title from (
      select * from question post where ${among}
        and search_stems(post.title) @@ (select replace(plainto_tsquery('english', ${query})::text, '&', '|')::tsquery)
      limit ${sql.lit(maxTitlesCompared)}
    ) post
    order by word_similarity(${text}, title) desc, upvotes desc, id desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

async function findAlike(db: Reader, { query, limit, loosely }: SimilarRequest, among: RawBuilder<unknown>) {
  const threshold = loosely ? minSimilarity.suggestion : minSimilarity.question;
  // What `<%` asks for is a setting, here for this statement alone. A condition on no table is a gate that PostgreSQL
  // passes before it reads any ("One-Time Filter" in the plan).
  const { rows } = await sql<QuestionCardRow>`
    with setting as materialized (
      select set_config('pg_trgm.word_similarity_threshold', ${threshold}, true) as threshold
    )
    select ${questionCardColumns} from question post ${bylineJoins}
    where (select threshold from setting) is not null and ${among} and ${query} <% post.title
    order by word_similarity(${query}, post.title) desc, post.upvotes desc, post.id desc limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Names of tags much like the query, or like a word of it. */
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
