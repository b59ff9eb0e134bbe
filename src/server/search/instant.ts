import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#server/platform/database.ts';
import { likeContains, likeStarts } from '#server/platform/sql.ts';
import type { InstantResults } from '#shared/search.ts';
import { tagKey } from '#shared/tags.ts';
import { startOfName } from './names.ts';

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

/** Titles that contain the text as typed, those that begin with it first; then titles that have all its words. */
async function questionsNamed(db: Reader, text: string): Promise<QuestionRow[]> {
  const pattern = likeContains(text);
  const starts = sql`${startOfTitle} like lower(${likeStarts(text.slice(0, 60))})`;
  const beginning = sql`
    (select id, title, answer_count, upvotes, 0 as place from question
    where ${starts} limit ${sql.lit(lookedAt)})`;
  const words = titleWords(text);
  // An expression is in no index: what is rare is found by its words and sorted, what is frequent met in the order.
  const upvotes = (frequent: boolean) => (frequent ? sql`placed.upvotes` : sql`placed.upvotes + 0`);
  const part = (place: number, condition: Sql, frequent: boolean) => sql`
    (select id, title, question.answer_count, question.upvotes, ${sql.lit(place)} as place from ${placed}
    where ${condition} order by ${upvotes(frequent)} desc, placed.question_id desc limit ${sql.lit(shown.questions)})`;
  const indexed = threeInARow.test(text);
  const { typed, worded } = indexed
    ? await frequency(db, { pattern, words })
    : { typed: false, worded: false };
  const parts = [beginning];
  if (indexed) parts.push(part(1, sql`title ilike ${pattern}`, typed));
  // One word as typed has been looked for; its other forms are not worth reading every text that has one.
  if (indexed && text.includes(' ')) parts.push(part(2, sql`words @@ ${words}`, worded));
  const { rows } = await sql<QuestionRow>`
    select id, title, answer_count from (
      select distinct on (id) id, title, answer_count, upvotes, place
      from (${sql.join(parts, sql` union all `)}) part order by id, place
    ) found
    order by place, upvotes desc, id desc limit ${sql.lit(shown.questions)}`.execute(db);
  return rows;
}

type Sql = RawBuilder<unknown>;

/** The table with the index by upvotes, and the questions themselves. */
const placed = sql`question_place placed join question on question.id = placed.question_id`;

/** Whether many of the titles with the most upvotes contain the text as typed, or have its words. */
async function frequency(db: Reader, { pattern, words }: { pattern: string; words: Sql }) {
  const { rows } = await sql<{ typed: number; worded: number }>`
    select count(*) filter (where title ilike ${pattern}) as typed, count(*) filter (where words @@ ${words}) as worded
    from (
      select title, words from ${placed} order by placed.upvotes desc, placed.question_id desc limit 1000
    ) popular`.execute(db);
  const many = (count = 0) => count >= 30;
  return { typed: many(rows[0]?.typed), worded: many(rows[0]?.worded) };
}

/** All words in the title; the last may still be without its end. */
function titleWords(text: string) {
  const words = (text.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 8);
  const query = words.map((word, index) => `'${word}':${index === words.length - 1 ? '*' : ''}A`).join(' & ');
  return sql`to_tsquery('english', ${query})`;
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

/** The trigram indexes find texts by three letters or digits in a row. */
const threeInARow = /[\p{L}\p{N}]{3}/u;

/** As the index question_title_start has it. */
const startOfTitle = sql`lower(left(question.title, 60))`;
