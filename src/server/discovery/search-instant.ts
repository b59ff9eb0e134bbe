import { tagKey } from '#shared/core/text.ts';
import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { likeContains, likePrefix } from '#server/core/sql.ts';
import type { InstantResults } from '#shared/discovery/search.ts';
import { buildIndexQueries } from './search-index-queries.ts';
import { findTopPosts, type ResultGroup } from './search-levels.ts';
import { buildTitleGroups } from './search-matches.ts';
import { namePrefix } from './search-names.ts';
import { hasTrigram, otherScriptLetter } from './search-words.ts';

const maxResults = { questions: 6, tags: 4, members: 4 } as const;
/** Rows read at most that begin with the text. */
const maxScanned = 300;

/** Returns the best few questions, tags and members that begin with or contain the text, for results while typing. */
export async function searchInstantly(db: Reader, query: string): Promise<InstantResults> {
  const text = query.trim().replace(/\s+/gu, ' ');
  if (text === '') return { questions: [], tags: [], members: [] };
  const [questions, tags, members] = await Promise.all([
    findQuestions(db, text),
    findTags(db, text),
    findMembers(db, text),
  ]);
  return {
    questions: questions.map((row) => ({ id: row.id, title: row.title, answerCount: row.answer_count })),
    tags: tags.map((row) => ({ tag: row.name, questionsCount: row.questions_count })),
    members: members.map((row) => ({ id: row.id, displayName: row.display_name })),
  };
}

type QuestionRow = { id: number; title: string; answer_count: number };

/** Titles that begin with the text as typed, then those that contain it, then those that have all its words. */
async function findQuestions(db: Reader, text: string): Promise<QuestionRow[]> {
  const { rows: beginning } = await sql<{ id: number }>`
    select id from (
      select id, upvotes from question
      where ${titlePrefix} like lower(${likePrefix(text.slice(0, 60))}) limit ${sql.lit(maxScanned)}
    ) post order by upvotes desc, id desc limit ${sql.lit(maxResults.questions)}`.execute(db);
  const ids = new Set(beginning.map(({ id }) => id));
  if (ids.size < maxResults.questions && isIndexedInside(text))
    for (const id of await findTitles(db, text)) ids.add(id);
  const { rows } = await sql<QuestionRow>`
    select id, title, answer_count
    from unnest(${[...ids].slice(0, maxResults.questions)}::bigint[]) with ordinality as listed (id, position)
    join question using (id) order by position`.execute(db);
  return rows;
}

async function findTitles(db: Reader, text: string): Promise<number[]> {
  const keys = await buildIndexQueries(db, text, false);
  const groups = [...buildTitleGroups(keys, text), ...wordsInTitle(text)];
  const scope = { table: 'question', conditions: [], isIndexed: false } as const;
  return (await findTopPosts(db, groups, { ...scope, wanted: maxResults.questions * 2 })).ids;
}

/**
 * Titles with all words of the text; the last word can be incomplete. A single word is already searched as typed, and
 * its other forms are not worth reading every title that has one.
 */
function wordsInTitle(text: string): ResultGroup[] {
  const words = (text.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 8);
  const last = words.at(-1) ?? '';
  if (words.length < 2) return [];
  // Too many words begin with one or two letters for the index to help.
  const short = last.length < 3;
  const looked = short ? words.slice(0, -1) : words;
  const query = looked.map((word) => `'${word}'${word === last && !short ? ':*' : ''}`).join(' & ');
  const begins = String.raw`(?<![[:alnum:]])${last}`;
  return [
    {
      query: sql`search_stems(post.title) @@ (select to_tsquery('english', ${query}))`,
      comparisons: short ? [sql`post.title ~* (select ${begins}::text)`] : [],
    },
  ];
}

async function findTags(db: Reader, text: string) {
  const key = tagKey(text.replace(/^#(?=.)/u, ''));
  const { rows } = await sql<{ name: string; questions_count: number }>`
    select name, questions_count from tag where questions_count > 0 and key like ${likeContains(key)}
    order by key <> ${key}, key not like ${likePrefix(key)}, questions_count desc, id
    limit ${sql.lit(maxResults.tags)}`.execute(db);
  return rows;
}

type MemberRow = { id: number; display_name: string };

async function findMembers(db: Reader, text: string): Promise<MemberRow[]> {
  const name = text.replace(/^@(?=.)/u, '');
  const startingWith = sql`
    (select id, display_name, reputation, 0 as place from member
    where ${namePrefix} like lower(${likePrefix(name)}) limit ${sql.lit(maxScanned)})`;
  const containing = sql`
    (select id, display_name, reputation, 1 as place from member
    where display_name ilike ${likeContains(name)} limit ${sql.lit(maxScanned)})`;
  const parts = hasTrigram.test(name) ? [startingWith, containing] : [startingWith];
  const { rows } = await sql<MemberRow>`
    select id, display_name from (
      select distinct on (id) id, display_name, reputation, place
      from (${sql.join(parts, sql` union all `)}) part order by id, place
    ) found
    order by place, reputation desc, id limit ${sql.lit(maxResults.members)}`.execute(db);
  return rows;
}

/** Shorter texts are found only at the beginning. One character of Chinese or Japanese is a word. */
const isIndexedInside = (text: string) => hasTrigram.test(text) || otherScriptLetter.test(text);

/** The expression of the index question_title_prefix. */
const titlePrefix = sql`lower(left(question.title, 60))`;
