import { type RawBuilder, sql } from 'kysely';
import { answerCardColumns, type AnswerCardRow } from '#server/answers/cards.ts';
import type { Reader } from '#server/platform/database.ts';
import { bylineJoins } from '#server/posts/post.ts';
import { cardColumns, type QuestionCardRow } from '#server/questions/cards.ts';
import { likeContains } from '#server/platform/sql.ts';
import { countedResults, type SearchSort } from '#shared/search.ts';
import { type AskedWords, askedWords } from './words.ts';

/** A page of matches: `limit` rows at most from position `offset`. */
export type SearchWindow = { query: string; sort: SearchSort; offset: number; limit: number };

/** The matches counted, up to one more than are counted out loud. */
export type Counted = { total: number };

const most = sql.lit(countedResults + 1);

/**
 * Questions that contain the query as typed, also inside a word, or all its words in any inflection. By relevance they
 * come in places, best first: title as typed, title inflected, tags as typed, tags inflected, text as typed, text
 * inflected (DECISIONS section 5.3); in each place whole words before parts of words, then those with more upvotes.
 */
export async function matchingQuestions(db: Reader, { query, sort, offset, limit }: SearchWindow) {
  const pattern = likeContains(query);
  const words = askedWords(query);
  const [title, tags, text] = [sql`question.title`, sql`question.tag_text`, sql`question.content`];
  const order = {
    relevance: sql`found.place, found.inside_word, post.upvotes desc, post.id desc`,
    recent: sql`post.created_at desc, post.id desc`,
    popular: sql`post.upvotes desc, post.id desc`,
  }[sort];
  const { rows } = await sql<QuestionCardRow & Counted>`
    with asked as (
      select plainto_tsquery('english', ${query}) as words, ${pattern}::text as pattern, ${wholeWord(query)}::text as whole
    ), match as materialized (
      select question.id, question.title, question.tag_text, question.content, question.words
      from question, asked
      where question.title ilike asked.pattern or question.tag_text ilike asked.pattern
        or question.content ilike asked.pattern or ${hasAll(words, [title, tags, text], sql`question.words`)}
    ), found as (
      select match.id,
        case
          when match.title ilike asked.pattern then 1
          when ${hasAll(words, [sql`match.title`])} then 2
          when match.tag_text ilike asked.pattern then 3
          when ${hasAll(words, [sql`match.tag_text`])} then 4
          when match.content ilike asked.pattern then 5
          else 6
        end as place,
        case
          when match.title ilike asked.pattern then match.title !~* asked.whole
          when match.tag_text ilike asked.pattern then match.tag_text !~* asked.whole
          else false
        end as inside_word
      from match, asked
    )
    select ${cardColumns}, (select count(*) from (select 1 from match limit ${most}) counted) as total
    from found join question post on post.id = found.id ${bylineJoins}
    order by ${order} limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/** The same for answers: the text as typed first, then inflected. */
export async function matchingAnswers(db: Reader, { query, sort, offset, limit }: SearchWindow) {
  const pattern = likeContains(query);
  const inflected = hasAll(askedWords(query), [sql`answer.content`], sql`answer.words`);
  const order = {
    relevance: sql`match.inflected, post.upvotes desc, post.id desc`,
    recent: sql`post.created_at desc, post.id desc`,
    popular: sql`post.upvotes desc, post.id desc`,
  }[sort];
  const { rows } = await sql<AnswerCardRow & Counted>`
    with asked as (
      select plainto_tsquery('english', ${query}) as words
    ), match as materialized (
      select answer.id, answer.content not ilike ${pattern} as inflected from answer, asked
      where answer.content ilike ${pattern} or ${inflected}
    )
    select ${answerCardColumns}, (select count(*) from (select 1 from match limit ${most}) counted) as total
    from match join answer post on post.id = match.id
    join question on question.id = post.question_id ${bylineJoins}
    order by ${order} limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

export type MemberRow = {
  id: number;
  display_name: string;
  created_at: Date;
  reputation: number;
  questions_count: number;
  answers_count: number;
};

/** Members whose name contains the query; names that begin with it first. */
export async function matchingMembers(db: Reader, { query, sort, offset, limit }: SearchWindow) {
  const pattern = likeContains(query);
  const order = {
    relevance: sql`member.display_name not ilike ${pattern.slice(1)}, member.reputation desc, member.id`,
    recent: sql`member.created_at desc, member.id desc`,
    popular: sql`member.reputation desc, member.id`,
  }[sort];
  const { rows } = await sql<MemberRow & Counted>`
    with match as materialized (select id from member where display_name ilike ${pattern})
    select member.id, member.display_name, member.created_at, member.reputation,
      member.questions_count, member.answers_count,
      (select count(*) from (select 1 from match limit ${most}) counted) as total
    from match join member on member.id = match.id
    order by ${order} limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/** How alike two texts have to be to count as the same with typing errors; between 0 and 1 (pg_trgm). */
const likeness = { question: '0.45', suggestion: '0.3' } as const;

/** Questions whose title has a part much like the query: what was probably meant. */
export async function similarQuestions(
  db: Reader,
  { query, limit, loosely }: { query: string; limit: number; loosely: boolean },
) {
  const threshold = loosely ? likeness.suggestion : likeness.question;
  // What `<%` asks for is a setting, here for this statement alone. A condition on no table is a gate that PostgreSQL
  // passes before it reads any ("One-Time Filter" in the plan).
  const { rows } = await sql<QuestionCardRow>`
    with setting as materialized (
      select set_config('pg_trgm.word_similarity_threshold', ${threshold}, true) as threshold
    )
    select ${cardColumns} from question post ${bylineJoins}
    where (select threshold from setting) is not null and ${query} <% post.title
    order by word_similarity(${query}, post.title) desc, post.upvotes desc, post.id desc limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Names of tags much like the query, or like a word of it. */
export async function similarTags(db: Reader, { words, limit }: { words: readonly string[]; limit: number }) {
  const { rows } = await sql<{ name: string }>`
    select tag.name from tag join unnest(${[...words]}::text[]) as word on tag.key % word
    where tag.questions_count > 0
    group by tag.id order by max(similarity(tag.key, word)) desc, tag.questions_count desc limit ${limit}`.execute(
    db,
  );
  return rows.map((row) => row.name);
}

/**
 * Whether texts, taken together, have all words of the query; `vector` is what PostgreSQL knows of them, where there is
 * more than one. Stands beside `asked`, whose `words` are those of the query.
 */
function hasAll(
  { inflected, parts }: AskedWords,
  texts: readonly [RawBuilder<unknown>, ...RawBuilder<unknown>[]],
  vector = sql`to_tsvector('english', ${texts[0]})`,
) {
  const each = parts.map((part) => {
    const anywhere = texts.map((text) => sql`${text} ilike ${likeContains(part)}`);
    return sql`(${sql.join(anywhere, sql` or `)})`;
  });
  if (inflected) each.unshift(sql`${vector} @@ asked.words`);
  return each.length === 0 ? sql`false` : sql`(${sql.join(each, sql` and `)})`;
}

/** A regular expression for the query with no letter or digit on either side of it. */
function wholeWord(query: string): string {
  return String.raw`(?<![[:alnum:]])${query.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}(?![[:alnum:]])`;
}
