import { type Database, type Reader, transaction } from '#server/platform/database.ts';
import { publish, publishAll } from '#server/platform/events.ts';
import { invalidField } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import { decodeCursor, page } from '#server/posts/cursor.ts';
import { toQuestionCard } from '#server/questions/cards.ts';
import { requireQuestion } from '#server/questions/questions.ts';
import { setTopicFollow } from '#server/topics/topics.ts';
import { limits } from '#shared/limits.ts';
import type { Followed } from '#shared/follows.ts';
import type { QuestionCards } from '#shared/questions.ts';
import { normalizeTags, tagsProblem } from '#shared/tags.ts';
import {
  deleteQuestionFollow,
  followedQuestions,
  insertQuestionFollow,
  followedMarks,
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
    if (await (following ? insertQuestionFollow(tx, follow) : deleteQuestionFollow(tx, follow)))
      await publish(tx, `member:${viewer.id}`, { kind: 'follows-changed', questionId, following });
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
    await publishAll(tx, await setTopicFollow(tx, { tag: name, memberId: viewer.id, following }));
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

/** Names of topics and ids of questions told of at most, each; nobody sees to more. */
const marks = 1000;

/** What the viewer follows, the latest first, so that a browser knows which news concern it. */
export async function readFollowed(db: Reader, viewer: Viewer): Promise<Followed> {
  const { tags, questions } = await followedMarks(db, { viewerId: viewer.id, limit: marks });
  return { tags, questions, complete: tags.length < marks && questions.length < marks };
}
