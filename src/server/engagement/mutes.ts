import { setTagFollow } from './follows-tags.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, invalidFieldsError, ProblemError } from '#server/core/errors.ts';
import { publish, publishAll, type TopicEvent } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import { clearDeliveriesOfQuestion } from '#server/notifications/index.ts';
import { lockMember, lockTagByName, requireQuestion } from '#server/posts/index.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { type MutedQuestions, type MutedTags } from '#shared/engagement/mutes.ts';
import { findTagsProblem, normalizeTags } from '#shared/posts/tags.ts';
import {
  countTagMutes,
  deleteQuestionMute,
  deleteTagMute,
  insertQuestionMute,
  insertTagMute,
  listMutedQuestions,
  listMutedTags,
} from './mutes-queries.ts';

/** Muted questions per page. */
const pageSize = 20;

/** Mutes or unmutes a question for the viewer: a muted question sends no notifications (docs/product.md 8.3). */
export async function muteQuestion(
  db: Database,
  { questionId, viewer, muted }: { questionId: number; viewer: Viewer; muted: boolean },
): Promise<{ muted: boolean }> {
  return transaction(db, async (tx) => {
    await requireQuestion(tx, questionId);
    const mute = { questionId, memberId: viewer.id };
    const isChanged = await (muted ? insertQuestionMute(tx, mute) : deleteQuestionMute(tx, mute));
    if (muted) await clearDeliveriesOfQuestion(tx, mute);
    if (isChanged) await publish(tx, `member:${viewer.id}`, { kind: 'mutes-changed', questionId, muted });
    return { muted };
  });
}

/**
 * Mutes or unmutes a tag: feeds leave out questions with a muted tag (docs/product.md 8.3). A member cannot both follow
 * and mute a tag: muting unfollows it, following unmutes it.
 * @throws ProblemError 'not-allowed' if the viewer has the maximum number of muted tags.
 */
export async function muteTag(
  db: Database,
  { tag, viewer, muted }: { tag: string; viewer: Viewer; muted: boolean },
): Promise<{ muted: boolean }> {
  const [name] = normalizeTags([tag]);
  if (name === undefined) throw invalidFieldError('tag', 'tag-required');
  const problem = findTagsProblem([name]);
  if (problem !== null) throw invalidFieldsError([{ field: 'tag', ...problem }]);
  await transaction(db, async (tx) => {
    // The lock keeps two concurrent requests from both counting one below the limit.
    await lockMember(tx, viewer.id);
    const memberId = viewer.id;
    const events = muted
      ? await addTagMute(tx, { tag: name, memberId })
      : await unmuteTag(tx, { tag: name, memberId });
    await publishAll(tx, events);
  });
  return { muted };
}

/** Unmutes a tag if the member muted it. Returns the events to publish. */
export async function unmuteTag(
  tx: Tx,
  { tag, memberId }: { tag: string; memberId: number },
): Promise<TopicEvent[]> {
  const row = await lockTagByName(tx, { tag, create: false });
  if (row === undefined || !(await deleteTagMute(tx, { tagId: row.id, memberId }))) return [];
  return [{ topic: `member:${memberId}`, event: { kind: 'mutes-changed', tag: row.name, muted: false } }];
}

/** Returns the tags the viewer muted, latest first. */
export async function readMutedTags(db: Reader, viewer: Viewer): Promise<MutedTags> {
  const rows = await listMutedTags(db, viewer.id);
  return { items: rows.map((row) => ({ tag: row.name, mutedAt: row.created_at.toISOString() })) };
}

/** Returns the questions the viewer muted, latest first. */
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
  if (row === undefined) throw new Error(`the tag '${tag}' was not stored`);
  if (!(await insertTagMute(tx, { tagId: row.id, memberId }))) return unfollowed;
  if ((await countTagMutes(tx, memberId)) > serverLimits.mutedTags)
    throw new ProblemError('too-many-muted-tags', { params: { max: serverLimits.mutedTags } });
  return [
    ...unfollowed,
    { topic: `member:${memberId}`, event: { kind: 'mutes-changed', tag: row.name, muted: true } },
  ];
}
