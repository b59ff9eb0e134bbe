import { sql } from 'kysely';
import type { Reader } from '#server/platform/database.ts';
import { likeContains, likeStarts } from '#server/platform/sql.ts';
import type { InstantResults } from '#shared/search.ts';
import { tagKey } from '#shared/tags.ts';
import { keysOf } from './keys.ts';
import { bestOf, type Place } from './levels.ts';
import { titlePlaces } from './matches.ts';
import { startOfName } from './names.ts';
import { otherScript, threeInARow } from './words.ts';

const shown = { questions: 6, topics: 4, members: 4 } as const;
/** So many of those that begin with a letter or two are looked at. */
const lookedAt = 300;

/** What begins with the text or has it inside, the best few of each kind: for whoever is still typing. */
export async function instantly(db: Reader, query: string): Promise<InstantResults> {
  const text = query.trim().replace(/\s+/gu, ' ');
  if (text === '') return { questions: [], topics: [], members: [] };
  const [questions, topics, members] = await Promise.all([
    questionsNamed(db, text),
    topicsNamed(db, text),
    membersNamed(db, text),
  ]);
  return {
    questions: questions.map((row) => ({ id: row.id, title: row.title, answerCount: row.answer_count })),
    topics: topics.map((row) => ({ tag: row.name, questionsCount: row.questions_count })),
    members: members.map((row) => ({ id: row.id, displayName: row.display_name })),
  };
}

type QuestionRow = { id: number; title: string; answer_count: number };

/** Titles that begin with the text as typed, then those that contain it, then those that have all its words. */
async function questionsNamed(db: Reader, text: string): Promise<QuestionRow[]> {
  const { rows: beginning } = await sql<{ id: number }>`
    select id from (
      select id, upvotes from question
      where ${startOfTitle} like lower(${likeStarts(text.slice(0, 60))}) limit ${sql.lit(lookedAt)}
    ) post order by upvotes desc, id desc limit ${sql.lit(shown.questions)}`.execute(db);
  const ids = new Set(beginning.map(({ id }) => id));
  if (ids.size < shown.questions && canBeInside(text))
    for (const id of await titlesWith(db, text)) ids.add(id);
  const { rows } = await sql<QuestionRow>`
    select id, title, answer_count
    from unnest(${[...ids].slice(0, shown.questions)}::bigint[]) with ordinality as listed (id, position)
    join question using (id) order by position`.execute(db);
  return rows;
}

async function titlesWith(db: Reader, text: string): Promise<number[]> {
  const keys = await keysOf(db, text, false);
  const places = [...titlePlaces(keys, text), ...wordsInTitle(text)];
  const among = { table: 'question', conditions: [], narrowed: false } as const;
  return (await bestOf(db, places, { ...among, wanted: shown.questions * 2 })).ids;
}

/**
 * All words in the title; the last may still be without its end. One word as typed is looked for anyway; its other forms
 * are not worth reading every text that has one.
 */
function wordsInTitle(text: string): Place[] {
  const words = (text.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 8);
  const last = words.at(-1) ?? '';
  if (words.length < 2) return [];
  // A letter or two begin so many words that their index is no help.
  const short = last.length < 3;
  const looked = short ? words.slice(0, -1) : words;
  const query = looked.map((word) => `'${word}'${word === last && !short ? ':*' : ''}`).join(' & ');
  const begins = String.raw`(?<![[:alnum:]])${last}`;
  return [
    {
      keys: sql`search_stems(post.title) @@ (select to_tsquery('english', ${query}))`,
      compared: short ? [sql`post.title ~* (select ${begins}::text)`] : [],
    },
  ];
}

async function topicsNamed(db: Reader, text: string) {
  const key = tagKey(text.replace(/^#(?=.)/u, ''));
  const { rows } = await sql<{ name: string; questions_count: number }>`
    select name, questions_count from tag where questions_count > 0 and key like ${likeContains(key)}
    order by key <> ${key}, key not like ${likeStarts(key)}, questions_count desc, id
    limit ${sql.lit(shown.topics)}`.execute(db);
  return rows;
}

type MemberRow = { id: number; display_name: string };

async function membersNamed(db: Reader, text: string): Promise<MemberRow[]> {
  const name = text.replace(/^@(?=.)/u, '');
  const beginning = sql`
    (select id, display_name, reputation, 0 as place from member
    where ${startOfName} like lower(${likeStarts(name)}) limit ${sql.lit(lookedAt)})`;
  const containing = sql`
    (select id, display_name, reputation, 1 as place from member
    where display_name ilike ${likeContains(name)} limit ${sql.lit(lookedAt)})`;
  const parts = threeInARow.test(name) ? [beginning, containing] : [beginning];
  const { rows } = await sql<MemberRow>`
    select id, display_name from (
      select distinct on (id) id, display_name, reputation, place
      from (${sql.join(parts, sql` union all `)}) part order by id, place
    ) found
    order by place, reputation desc, id limit ${sql.lit(shown.members)}`.execute(db);
  return rows;
}

/** Fewer letters are found at the beginning alone; one sign of Chinese or Japanese is a word. */
const canBeInside = (text: string) => threeInARow.test(text) || otherScript.test(text);

/** As the index question_title_prefix has it. */
const startOfTitle = sql`lower(left(question.title, 60))`;
