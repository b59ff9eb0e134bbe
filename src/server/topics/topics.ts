import type { Tx } from '#server/platform/database.ts';
import type { StreamedEvent } from '#server/platform/events.ts';
import { decodeCursor } from '#server/posts/cursor.ts';
import { tagKey, topicDescription } from '#shared/tags.ts';
import type { Topic } from '#shared/topics.ts';
import {
  changeTagCounts,
  countFollowers,
  deleteTagFollow,
  ensureTags,
  insertTagFollow,
  latestPostTime,
  lockTag,
  lockTags,
  activityOfTaggedRaised,
  raiseTagActivity,
  recomputeTagActivity,
  replaceQuestionTags,
  tagsOfQuestion,
  type TopicRow,
} from './queries.ts';

/** Makes a member follow a tag, which becomes one if it was none, or not. Returns what to publish if that changed it. */
export async function setTopicFollow(
  tx: Tx,
  { tag, memberId, following }: { tag: string; memberId: number; following: boolean },
): Promise<StreamedEvent[]> {
  // Locked, so that of two who follow at once the second counts both, and tells of it second.
  const topic = await lockTopic(tx, { tag, make: following });
  if (topic === undefined) return [];
  const follow = { tagId: topic.id, memberId };
  if (!(await (following ? insertTagFollow(tx, follow) : deleteTagFollow(tx, follow)))) return [];
  const followersCount = await countFollowers(tx, topic.id);
  return [
    { topic: 'topics', event: { kind: 'topic-followed', tag: topic.name, followersCount } },
    { topic: `member:${memberId}`, event: { kind: 'follows-changed', tag: topic.name, following } },
  ];
}

/** A topic locked against everything else that counts in it. @param make a tag that is none becomes one. */
export async function lockTopic(
  tx: Tx,
  { tag, make }: { tag: string; make: boolean },
): Promise<{ id: number; name: string } | undefined> {
  if (make) await ensureTags(tx, [tag]);
  return lockTag(tx, tagKey(tag));
}

/** The tags as they are shown: a tag keeps the way it was first written. Names seen for the first time become tags. */
export async function shownTags(tx: Tx, tags: readonly string[]): Promise<string[]> {
  return (await ensureTags(tx, tags)).map((tag) => tag.name);
}

/** The names of a question's tags, in its author's order. */
export async function questionTags(tx: Tx, questionId: number): Promise<string[]> {
  return (await tagsOfQuestion(tx, questionId)).map((tag) => tag.name);
}

/**
 * Sets a locked question's tags, and keeps every topic's number of questions and latest activity right. Returns the tags
 * as they are shown, and what is to be published of the numbers.
 */
export async function tagQuestion(
  tx: Tx,
  { questionId, tags }: { questionId: number; tags: readonly string[] },
): Promise<{ tags: string[]; told: StreamedEvent[] }> {
  const before = (await tagsOfQuestion(tx, questionId)).map((tag) => tag.id);
  const wanted = await ensureTags(tx, tags);
  const after = wanted.map((tag) => tag.id);
  if (before.length === 0 && after.length === 0) return { tags: [], told: [] };
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  const at = await latestPostTime(tx, questionId);
  await lockTags(tx, [...added, ...removed]);
  if (after.join() !== before.join()) await replaceQuestionTags(tx, { questionId, ids: after });
  const counted = [
    ...(await changeTagCounts(tx, { ids: added, by: 1 })),
    ...(await changeTagCounts(tx, { ids: removed, by: -1 })),
  ];
  await raiseTagActivity(tx, { ids: added, at });
  await recomputeTagActivity(tx, { ids: removed, at });
  const told = counted.map(({ name, questions_count: questionsCount }): StreamedEvent => ({
    topic: 'topics',
    event: { kind: 'topic-asked', tag: name, questionsCount },
  }));
  return { tags: wanted.map((tag) => tag.name), told };
}

/** Locked questions got answers: their topics are active now. */
export async function touchTopicsOf(
  tx: Tx,
  touched: { questionIds: readonly number[]; at: Date },
): Promise<void> {
  await topicsTouched(touched).execute(tx);
}

/** The same, to be run with others: late, since the most used topics are touched by nearly all that is written. */
export const topicsTouched = activityOfTaggedRaised;

/** A locked question lost the answer of time `at`. */
export async function untouchTopics(
  tx: Tx,
  { questionId, at }: { questionId: number; at: Date },
): Promise<void> {
  const ids = (await tagsOfQuestion(tx, questionId)).map((tag) => tag.id);
  await recomputeTagActivity(tx, { ids, at });
}

export function toTopic(row: TopicRow): Topic {
  return {
    tag: row.name,
    description: topicDescription(row.name),
    questionsCount: row.questions_count,
    followersCount: row.followers_count,
    activeAt: row.active_at?.toISOString() ?? null,
    following: row.following,
    muted: row.muted,
  };
}

/** How many rows lie before a page of a list that is paged by position. */
export function pageOffset(cursor: string | undefined): number {
  const after = decodeCursor(cursor)?.after ?? 0;
  return Number.isSafeInteger(after) && after >= 0 && after <= 100_000 ? after : 0;
}
