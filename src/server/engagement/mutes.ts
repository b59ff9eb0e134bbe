import { setTagFollow } from './follows-tags.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publish, publishAll, type TopicEvent } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import { requireQuestion } from '#server/posts/questions.ts';
import { lockTagByName } from '#server/posts/tags.ts';
import { limits } from '#shared/core/limits.ts';
import { type MutedQuestions, type MutedTags, muteMessages } from '#shared/engagement/mutes.ts';
import { findTagsProblem, normalizeTags } from '#shared/posts/tags.ts';
import {
  countTagMutes,
  deleteQuestionMute,
  deleteTagMute,
  insertQuestionMute,
  insertTagMute,
  listMutedQuestions,
  listMutedTags,
  lockMember,
} from './mutes-queries.ts';

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
export async function muteTag(
  db: Database,
  { tag, viewer, muted }: { tag: string; viewer: Viewer; muted: boolean },
): Promise<{ muted: boolean }> {
  const [name] = normalizeTags([tag]);
  if (name === undefined) throw invalidFieldError('tag', 'Name a topic');
  const problem = findTagsProblem([name]);
  if (problem !== null) throw invalidFieldError('tag', problem);
  await transaction(db, async (tx) => {
    // Locked, so that two at once do not both find room for one more.
    await lockMember(tx, viewer.id);
    const memberId = viewer.id;
    const events = muted
      ? await addTagMute(tx, { tag: name, memberId })
      : await unmuteTag(tx, { tag: name, memberId });
    await publishAll(tx, events);
  });
  return { muted };
}

/** Ends a member's mute of a topic, if there is one. Returns what to publish of it. */
export async function unmuteTag(
  tx: Tx,
  { tag, memberId }: { tag: string; memberId: number },
): Promise<TopicEvent[]> {
  const row = await lockTagByName(tx, { tag, create: false });
  if (row === undefined || !(await deleteTagMute(tx, { tagId: row.id, memberId }))) return [];
  return [{ topic: `member:${memberId}`, event: { kind: 'mutes-changed', tag: row.name, muted: false } }];
}

/** The topics the viewer muted, the latest first. */
export async function readMutedTags(db: Reader, viewer: Viewer): Promise<MutedTags> {
  const rows = await listMutedTags(db, viewer.id);
  return { items: rows.map((row) => ({ tag: row.name, mutedAt: row.created_at.toISOString() })) };
}

/** The questions the viewer muted, the latest first. */
export async function readMutedQuestions(
  db: Reader,
  { viewer, cursor }: { viewer: Viewer; cursor: string | undefined },
): Promise<MutedQuestions> {
  const rows = await listMutedQuestions(db, {
    memberId: viewer.id,
    cursor: decodeCursor(cursor),
    limit: pageSize + 1,
  });
  const { items, nextCursor } = paginate(rows, pageSize, (row) => ({
    after: row.created_at.getTime(),
    id: row.id,
  }));
  return {
    items: items.map((row) => ({ id: row.id, title: row.title, mutedAt: row.created_at.toISOString() })),
    nextCursor,
  };
}

async function addTagMute(
  tx: Tx,
  { tag, memberId }: { tag: string; memberId: number },
): Promise<TopicEvent[]> {
  const unfollowed = await setTagFollow(tx, { tag, memberId, following: false });
  const row = await lockTagByName(tx, { tag, create: true });
  if (row === undefined) throw new Error(`the topic '${tag}' was not stored`);
  if (!(await insertTagMute(tx, { tagId: row.id, memberId }))) return unfollowed;
  if ((await countTagMutes(tx, memberId)) > limits.mutedTags)
    throw new ProblemError('not-allowed', muteMessages.tooMany);
  return [
    ...unfollowed,
    { topic: `member:${memberId}`, event: { kind: 'mutes-changed', tag: row.name, muted: true } },
  ];
}
