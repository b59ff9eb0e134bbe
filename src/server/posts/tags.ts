import { sql } from 'kysely';
import { tagKey } from '#shared/core/text.ts';
import {
  changeTagCounts,
  ensureTags,
  getLatestPostTime,
  listQuestionTags,
  lockTag,
  lockTags,
  recomputeTagActivity,
  replaceQuestionTags,
  updateTagActivityStatement,
} from './tags-queries.ts';
import type { Tx } from '#server/core/database.ts';
import type { TopicEvent } from '#server/core/events.ts';

/**
 * SQL: the source of the description or the text of `tag` as JSON; null for a text that was written here. The source of an
 * imported text stays while the text does, also if moderators changed it (docs/decisions/129).
 */
export const tagTextSourceJson = (kind: 'description' | 'about') => sql`(
  select json_build_object('site', source.site, 'url', 'https://' || source.site || '/' || imported.path,
    'license', imported.license,
    'isAdapted', imported.content_hash is distinct from md5(${sql.ref(`tag.${kind}`)})::uuid)
  from imported_tag_text imported join import_source source on source.id = imported.source_id
  where imported.tag_id = tag.id and imported.kind = ${sql.lit(kind)} and not imported.is_removed
    and ${sql.ref(`tag.${kind}`)} is not null
)`;

/**
 * Locks a tag by name, because its counts will change. For a tag that is not visible, returns the name as it was
 * passed: its spelling, and the tag that it is a synonym of, stay hidden from those who guess its name.
 * @param create whether to insert a missing tag
 */
export async function lockTagByName(
  tx: Tx,
  { tag, create }: { tag: string; create: boolean },
): Promise<{ id: number; name: string; isVisible: boolean } | undefined> {
  if (create) await ensureTags(tx, [tag]);
  const row = await lockTag(tx, tagKey(tag));
  return row && { id: row.id, name: row.is_visible ? row.name : tag, isVisible: row.is_visible };
}

/** The names of a question's tags, in its author's order. */
export async function listQuestionTagNames(tx: Tx, questionId: number): Promise<string[]> {
  return (await listQuestionTags(tx, questionId)).map((tag) => tag.name);
}

/**
 * Sets the tags of a locked question and updates their question counts and activity. Appends no statistics. Returns
 * the tags as they are shown, the ids of those that were added and removed, and the events to publish.
 */
export async function setQuestionTags(
  tx: Tx,
  { questionId, tags }: { questionId: number; tags: readonly string[] },
): Promise<{ tags: string[]; added: number[]; removed: number[]; events: TopicEvent[] }> {
  const before = (await listQuestionTags(tx, questionId)).map((tag) => tag.id);
  const wanted = await ensureTags(tx, tags);
  const after = wanted.map((tag) => tag.id);
  if (before.length === 0 && after.length === 0) return { tags: [], added: [], removed: [], events: [] };
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  const at = await getLatestPostTime(tx, questionId);
  await lockTags(tx, [...added, ...removed]);
  if (after.join() !== before.join()) await replaceQuestionTags(tx, { questionId, tags: wanted });
  const events = [
    ...(await countQuestionTags(tx, { ids: added, by: 1, at })),
    ...(await countQuestionTags(tx, { ids: removed, by: -1, at })),
  ];
  return { tags: wanted.map((tag) => tag.name), added, removed, events };
}

/**
 * Counts questions that join each of these tags, or leave them (negative). Their rows must have changed already.
 * @param at the time of their latest post
 */
export async function countQuestionTags(
  tx: Tx,
  { ids, by, at }: { ids: readonly number[]; by: number; at: Date },
): Promise<TopicEvent[]> {
  const counted = await changeTagCounts(tx, { ids, by, at });
  return counted.map(({ name, questions_count: questionsCount }) => ({
    topic: 'tags',
    event: { kind: 'tag-questions-changed', tag: name, questionsCount },
  }));
}

/** Updates the activity of the tags of locked questions that got answers. */
export async function touchTags(
  tx: Tx,
  touched: { questionIds: readonly number[]; at: Date },
): Promise<void> {
  await updateTagActivityStatement(touched).execute(tx);
}

/** Recomputes the tags' activity after a locked question lost its answer of time `at`. */
export async function recomputeTagsOf(
  tx: Tx,
  { questionId, at }: { questionId: number; at: Date },
): Promise<void> {
  const ids = (await listQuestionTags(tx, questionId)).map((tag) => tag.id);
  await recomputeTagActivity(tx, { ids, at });
}
