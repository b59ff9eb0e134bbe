import { sql } from 'kysely';
import { tagKey } from '#shared/core/text.ts';
import {
  changeTagQuestionCounts,
  ensureTags,
  getLatestPostTime,
  listQuestionTags,
  lockTag,
  lockTags,
  recomputeTagActivity,
  replaceQuestionTags,
  updateTagActivity,
  updateTagActivityStatement,
} from './tags-queries.ts';
import type { Tx } from '#server/core/database.ts';
import type { TopicEvent } from '#server/core/events.ts';

/**
 * Whether a tag may be shown: not where moderators have hidden or deleted all questions that had it. The index
 * hidden_row_tag serves it.
 */
export const isTagVisible = sql`(tag.questions_count > 0 or not exists (
  select from hidden_row where part = 'tag' and row ->> 'name' = tag.name
))`;

/** A topic locked against everything else that counts in it. @param make a tag that is none becomes one. */
export async function lockTagByName(
  tx: Tx,
  { tag, create }: { tag: string; create: boolean },
): Promise<{ id: number; name: string } | undefined> {
  if (create) await ensureTags(tx, [tag]);
  return lockTag(tx, tagKey(tag));
}

/** The tags as they are shown: a tag keeps the way it was first written. Names seen for the first time become tags. */
export async function resolveTagNames(tx: Tx, tags: readonly string[]): Promise<string[]> {
  return (await ensureTags(tx, tags)).map((tag) => tag.name);
}

/** The names of a question's tags, in its author's order. */
export async function listQuestionTagNames(tx: Tx, questionId: number): Promise<string[]> {
  return (await listQuestionTags(tx, questionId)).map((tag) => tag.name);
}

/**
 * Sets a locked question's tags, and keeps every topic's number of questions and latest activity right. Returns the tags
 * as they are shown, and what is to be published of the numbers.
 */
export async function setQuestionTags(
  tx: Tx,
  { questionId, tags }: { questionId: number; tags: readonly string[] },
): Promise<{ tags: string[]; told: TopicEvent[] }> {
  const before = (await listQuestionTags(tx, questionId)).map((tag) => tag.id);
  const wanted = await ensureTags(tx, tags);
  const after = wanted.map((tag) => tag.id);
  if (before.length === 0 && after.length === 0) return { tags: [], told: [] };
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  const at = await getLatestPostTime(tx, questionId);
  await lockTags(tx, [...added, ...removed]);
  if (after.join() !== before.join()) await replaceQuestionTags(tx, { questionId, ids: after });
  const counted = [
    ...(await changeTagQuestionCounts(tx, { ids: added, by: 1 })),
    ...(await changeTagQuestionCounts(tx, { ids: removed, by: -1 })),
  ];
  await updateTagActivity(tx, { ids: added, at });
  await recomputeTagActivity(tx, { ids: removed, at });
  const events = counted.map(({ name, questions_count: questionsCount }): TopicEvent => ({
    topic: 'topics',
    event: { kind: 'topic-asked', tag: name, questionsCount },
  }));
  return { tags: wanted.map((tag) => tag.name), told: events };
}

/** Locked questions got answers: their topics are active now. */
export async function touchTags(
  tx: Tx,
  touched: { questionIds: readonly number[]; at: Date },
): Promise<void> {
  await touchTagsStatement(touched).execute(tx);
}

/** The same, to be run with others: late, since the most used topics are touched by nearly all that is written. */
export const touchTagsStatement = updateTagActivityStatement;

/** A locked question lost the answer of time `at`. */
export async function recomputeTagsOf(
  tx: Tx,
  { questionId, at }: { questionId: number; at: Date },
): Promise<void> {
  const ids = (await listQuestionTags(tx, questionId)).map((tag) => tag.id);
  await recomputeTagActivity(tx, { ids, at });
}
