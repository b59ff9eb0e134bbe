import { tagKey } from '#shared/core/text.ts';
import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { likeContains, likePrefix } from '#server/core/sql.ts';
import type { InstantResults } from '#shared/discovery/search.ts';
import { createRanking } from './ranking.ts';
import { findRanked } from './ranking-queries.ts';
import { namePrefix } from './search-queries.ts';
import { hasTrigram, readQueryWords } from './search-words.ts';

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

/** Questions with the words in title and tags, of which the last word can be incomplete, by the ranking of search. */
async function findQuestions(db: Reader, text: string): Promise<QuestionRow[]> {
  const { terms, community } = await readQueryWords(db, text);
  const ranking = createRanking(terms, community.questions);
  if (ranking === null) return [];
  const limit = maxResults.questions;
  const { posts } = await findRanked(
    db,
    ranking,
    {
      table: 'question',
      conditions: [],
      isPlannedOnce: true,
      isIndexed: false,
      hasPopular: community.hasPopular.question,
      onlyTitles: true,
    },
    { sort: 'relevance', offset: 0, limit, typed: text, enough: limit, least: { share: 0.5, words: 2 } },
  );
  if (posts.length === 0) return [];
  const { rows } = await sql<QuestionRow>`
    select id, title, answer_count
    from unnest(${posts.map(({ id }) => id)}::bigint[]) with ordinality as listed (id, position)
    join question using (id) order by position`.execute(db);
  return rows;
}

async function findTags(db: Reader, text: string) {
  const key = tagKey(text.replace(/^#(?=.)/u, ''));
  const { rows } = await sql<{ name: string; questions_count: number }>`
    select main.name, main.questions_count
    from tag join tag main on main.id = coalesce(tag.synonym_of, tag.id)
    where main.questions_count > 0 and tag.key like ${likeContains(key)}
    group by main.id
    order by bool_and(tag.key <> ${key}), bool_and(tag.key not like ${likePrefix(key)}), main.questions_count desc, main.id
    limit ${sql.lit(maxResults.tags)}`.execute(db);
  return rows;
}

type MemberRow = { id: number; display_name: string };

async function findMembers(db: Reader, text: string): Promise<MemberRow[]> {
  const name = text.replace(/^@(?=.)/u, '');
  const startingWith = sql`
    (select id, display_name, reputation, 0 as position from member
    where ${namePrefix} like lower(${likePrefix(name)}) and application is null limit ${sql.lit(maxScanned)})`;
  const containing = sql`
    (select id, display_name, reputation, 1 as position from member
    where display_name ilike ${likeContains(name)} and application is null limit ${sql.lit(maxScanned)})`;
  const parts = hasTrigram.test(name) ? [startingWith, containing] : [startingWith];
  const { rows } = await sql<MemberRow>`
    select id, display_name from (
      select distinct on (id) id, display_name, reputation, position
      from (${sql.join(parts, sql` union all `)}) part order by id, position
    ) found
    order by position, reputation desc, id limit ${sql.lit(maxResults.members)}`.execute(db);
  return rows;
}
