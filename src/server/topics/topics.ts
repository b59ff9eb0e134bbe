import type { Tx } from '#server/platform/database.ts';
import { changeTagCounts, replaceQuestionTags, tagIds, tagsOfQuestion } from './queries.ts';

/** The names of a question's tags, in its author's order. */
export async function questionTags(tx: Tx, questionId: number): Promise<string[]> {
  return (await tagsOfQuestion(tx, questionId)).map((tag) => tag.name);
}

/** Sets a question's tags and keeps every tag's number of questions right. */
export async function tagQuestion(
  tx: Tx,
  { questionId, tags }: { questionId: number; tags: readonly string[] },
) {
  const before = (await tagsOfQuestion(tx, questionId)).map((tag) => tag.id);
  const after = await tagIds(tx, tags);
  await replaceQuestionTags(tx, { questionId, ids: after });
  await changeTagCounts(tx, { ids: after.filter((id) => !before.includes(id)), by: 1 });
  await changeTagCounts(tx, { ids: before.filter((id) => !after.includes(id)), by: -1 });
}
