import { type Database, type Reader, transaction, type Tx } from '#server/platform/database.ts';
import { invalidField, ProblemError } from '#server/platform/errors.ts';
import { publish, publishAll, type StreamedEvent } from '#server/platform/events.ts';
import type { Viewer } from '#server/platform/http.ts';
import { decodeCursor, page } from '#server/posts/cursor.ts';
import { requireQuestion } from '#server/questions/questions.ts';
import { lockTopic, setTopicFollow } from '#server/topics/topics.ts';
import { limits } from '#shared/limits.ts';
import { type MutedQuestions, type MutedTopics, muteMessages } from '#shared/mutes.ts';
import { normalizeTags, tagsProblem } from '#shared/tags.ts';
import {
  countTagMutes,
  deleteQuestionMute,
  deleteTagMute,
  insertQuestionMute,
  insertTagMute,
  lockMuter,
  mutedQuestionsPage,
  mutedTags,
} from './queries.ts';

/** Muted questions a page shows. */
const pageSize = 20;

/** Lets nothing that happens on a question reach the viewer's notifications, or lets it again. */
export async function muteQuestion(
  db: Database,
  { questionId, viewer, muted }: { questionId: number; viewer: Viewer; muted: boolean },
): Promise<{ muted: boolean }> {
  return transaction(db, async (tx) => {
    await requireQuestion(tx, questionId);
    const mute = { questionId, memberId: viewer.id };
    if (await (muted ? insertQuestionMute(tx, mute) : deleteQuestionMute(tx, mute)))
      await publish(tx, `member:${viewer.id}`, { kind: 'mutes-changed', questionId, muted });
    return { muted };
  });
}

/**
 * Takes the questions of a topic out of the viewer's feeds, or lets them in again. Nobody follows and mutes the same
 * topic: muting ends following it, and the other way round.
 * @throws ProblemError 'not-allowed' where the viewer has muted as many as one can.
 */
export async function muteTopic(
  db: Database,
  { tag, viewer, muted }: { tag: string; viewer: Viewer; muted: boolean },
): Promise<{ muted: boolean }> {
  const [name] = normalizeTags([tag]);
  if (name === undefined) throw invalidField('tag', 'Name a topic');
  const problem = tagsProblem([name]);
  if (problem !== null) throw invalidField('tag', problem);
  await transaction(db, async (tx) => {
    // Locked, so that two at once do not both find room for one more.
    await lockMuter(tx, viewer.id);
    const memberId = viewer.id;
    const told = muted
      ? await mute(tx, { tag: name, memberId })
      : await unmuteTopic(tx, { tag: name, memberId });
    await publishAll(tx, told);
  });
  return { muted };
}

/** Ends a member's mute of a topic, if there is one. Returns what to publish of it. */
export async function unmuteTopic(
  tx: Tx,
  { tag, memberId }: { tag: string; memberId: number },
): Promise<StreamedEvent[]> {
  const topic = await lockTopic(tx, { tag, make: false });
  if (topic === undefined || !(await deleteTagMute(tx, { tagId: topic.id, memberId }))) return [];
  return [{ topic: `member:${memberId}`, event: { kind: 'mutes-changed', tag: topic.name, muted: false } }];
}

/** The topics the viewer muted, the latest first. */
export async function readMutedTopics(db: Reader, viewer: Viewer): Promise<MutedTopics> {
  const rows = await mutedTags(db, viewer.id);
  return { items: rows.map((row) => ({ tag: row.name, mutedAt: row.created_at.toISOString() })) };
}

/** The questions the viewer muted, the latest first. */
export async function readMutedQuestions(
  db: Reader,
  { viewer, cursor }: { viewer: Viewer; cursor: string | undefined },
): Promise<MutedQuestions> {
  const rows = await mutedQuestionsPage(db, {
    memberId: viewer.id,
    cursor: decodeCursor(cursor),
    limit: pageSize + 1,
  });
  const { items, nextCursor } = page(rows, pageSize, (row) => ({
    after: row.created_at.getTime(),
    id: row.id,
  }));
  return {
    items: items.map((row) => ({ id: row.id, title: row.title, mutedAt: row.created_at.toISOString() })),
    nextCursor,
  };
}

async function mute(tx: Tx, { tag, memberId }: { tag: string; memberId: number }): Promise<StreamedEvent[]> {
  const unfollowed = await setTopicFollow(tx, { tag, memberId, following: false });
  const topic = await lockTopic(tx, { tag, make: true });
  if (topic === undefined) throw new Error(`the topic '${tag}' was not stored`);
  if (!(await insertTagMute(tx, { tagId: topic.id, memberId }))) return unfollowed;
  if ((await countTagMutes(tx, memberId)) > limits.mutedTopics)
    throw new ProblemError('not-allowed', muteMessages.tooMany);
  return [
    ...unfollowed,
    { topic: `member:${memberId}`, event: { kind: 'mutes-changed', tag: topic.name, muted: true } },
  ];
}
