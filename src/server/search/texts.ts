import { sql } from 'kysely';
import type { Reader } from '#server/platform/database.ts';

export type TextRow = { id: number; title: string; content: string };

/** So much of a text is looked through for what to mark, in characters. */
const start = sql.lit(20_000);

export async function questionTexts(db: Reader, ids: readonly number[]): Promise<TextRow[]> {
  const { rows } = await sql<TextRow>`
    select id, title, left(content, ${start}) as content from question where id = any(${[...ids]}::bigint[])`.execute(
    db,
  );
  return rows;
}

/** Answers, with the title of their question. */
export async function answerTexts(db: Reader, ids: readonly number[]): Promise<TextRow[]> {
  const { rows } = await sql<TextRow>`
    select answer.id, question.title, left(answer.content, ${start}) as content
    from answer join question on question.id = answer.question_id
    where answer.id = any(${[...ids]}::bigint[])`.execute(db);
  return rows;
}

/** The stem of each word, as the search has it; null for words it does not regard. */
export async function stemsOf(db: Reader, words: readonly string[]): Promise<Map<string, string | null>> {
  if (words.length === 0) return new Map();
  const { rows } = await sql<{ word: string; stem: string | null }>`
    select word, (ts_lexize('english_stem', word))[1] as stem from unnest(${[...words]}::text[]) as word`.execute(
    db,
  );
  return new Map(rows.map(({ word, stem }) => [word, stem]));
}
