import { sql } from 'kysely';
import type { Database } from '#server/core/database.ts';
import { writeAnswerScores, writeQuestionSortKeys, writeTagSortKeys } from '#server/posts/index.ts';

/** Writes the sort keys of all posts, after a test inserted or changed posts with SQL of its own. */
export async function writeAllSortKeys(db: Database): Promise<void> {
  for (const statement of [
    writeQuestionSortKeys('question'),
    writeTagSortKeys('question'),
    writeAnswerScores('answer'),
  ])
    await sql.raw(statement).execute(db);
}
