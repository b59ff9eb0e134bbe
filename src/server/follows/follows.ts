import { type Database, type Reader, transaction } from '#server/platform/database.ts';
import { publish } from '#server/platform/events.ts';
import { invalidField } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import { decodeCursor, page } from '#server/posts/cursor.ts';
import { toQuestionCard } from '#server/questions/cards.ts';
import { requireQuestion } from '#server/questions/questions.ts';
import { ensureTag } from '#server/topics/topics.ts';
import { limits } from '#shared/limits.ts';
import type { QuestionCards } from '#shared/questions.ts';
import { normalizeTags, tagKey, tagsProblem } from '#shared/tags.ts';
import {
  deleteQuestionFollow,
  deleteTagFollow,
  followedQuestions,
  insertQuestionFollow,
  insertTagFollow,
  recentlyActiveFollowed,
} from './queries.ts';

/** Makes the viewer follow a question, or not; setting the same again changes nothing. */
export async function followQuestion(
  db: Database,
  { questionId, viewer, following }: { questionId: number; viewer: Viewer; following: boolean },
): Promise<{ following: boolean }> {
  return transaction(db, async (tx) => {
    await requireQuestion(tx, questionId);
    const follow = { questionId, memberId: viewer.id };
    await (following ? insertQuestionFollow(tx, follow) : deleteQuestionFollow(tx, follow));
    await publish(tx, `member:${viewer.id}`, { kind: 'follows-changed' });
    return { following };
  });
}

/** Makes the viewer follow a topic, or not. A topic without questions can be followed, too. */
export async function followTopic(
  db: Database,
  { tag, viewer, following }: { tag: string; viewer: Viewer; following: boolean },
): Promise<{ following: boolean }> {
  const [name] = normalizeTags([tag]);
  if (name === undefined) throw invalidField('tag', 'Name a topic');
  const problem = tagsProblem([name]);
  if (problem !== null) throw invalidField('tag', problem);
  await transaction(db, async (tx) => {
    if (following) await insertTagFollow(tx, { tagId: await ensureTag(tx, name), memberId: viewer.id });
    else await deleteTagFollow(tx, { key: tagKey(name), memberId: viewer.id });
    await publish(tx, `member:${viewer.id}`, { kind: 'follows-changed' });
  });
  return { following };
}

/** 'All Questions': with a followed tag, or followed themselves, newest first (DECISIONS section 5.5). */
export async function readFollowedQuestions(
  db: Reader,
  { viewer, cursor }: { viewer: Viewer; cursor: string | undefined },
): Promise<QuestionCards> {
  const rows = await followedQuestions(db, {
    viewerId: viewer.id,
    cursor: decodeCursor(cursor),
    limit: limits.feedPage + 1,
  });
  const { items, nextCursor } = page(rows, limits.feedPage, (row) => ({
    after: row.created_at.getTime(),
    id: row.id,
  }));
  return { items: items.map(toQuestionCard), nextCursor };
}

/** 'This Week': the last 7 days, at most 10, latest activity first (SPEC section 9). */
export async function readRecentActivity(db: Reader, viewer: Viewer): Promise<QuestionCards> {
  const since = new Date(Date.now() - 7 * 24 * 60 * 60 * 1000);
  const rows = await recentlyActiveFollowed(db, { viewerId: viewer.id, since, limit: 10 });
  return { items: rows.map(toQuestionCard), nextCursor: null };
}
