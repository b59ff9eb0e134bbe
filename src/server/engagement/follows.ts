import { setTagFollow } from './follows-tags.ts';
import { type Database, type Reader, transaction } from '#server/core/database.ts';
import { publish, publishAll } from '#server/core/events.ts';
import {
  countTagFollows,
  deleteQuestionFollow,
  insertQuestionFollow,
  listFollowedQuestions,
  listFollows,
  listRecentlyActiveFollowed,
} from './follows-queries.ts';
import { readMutesToApply, skipMuted } from './mutes-filter.ts';
import { unmuteTag } from './mutes.ts';
import { invalidFieldError, invalidFieldsError, ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { type Cursor, decodeCursor } from '#server/core/cursor.ts';
import { lockMember, requireQuestion } from '#server/posts/index.ts';
import { serverLimits } from '#shared/core/limits.ts';
import type { Follows } from '#shared/engagement/follows.ts';
import type { FeedPage, MutedChoice } from '#shared/engagement/mutes.ts';
import { findTagsProblem, normalizeTags } from '#shared/posts/tags.ts';

/** Makes the viewer follow or unfollow a question. Setting the same state again changes nothing. */
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

/**
 * Makes the viewer follow or unfollow a tag. A tag without questions can be followed. Following a muted tag unmutes it.
 * @throws ProblemError 'not-allowed' if the viewer follows the maximum number of tags.
 */
export async function followTag(
  db: Database,
  { tag, viewer, following }: { tag: string; viewer: Viewer; following: boolean },
): Promise<{ following: boolean }> {
  const [name] = normalizeTags([tag]);
  if (name === undefined) throw invalidFieldError('tag', 'tag-required');
  const problem = findTagsProblem([name]);
  if (problem !== null) throw invalidFieldsError([{ field: 'tag', ...problem }]);
  await transaction(db, async (tx) => {
    const follow = { tag: name, memberId: viewer.id };
    // The lock keeps two concurrent requests from both counting one below the limit.
    await lockMember(tx, viewer.id);
    // Before the mute, because it locks the tag: a concurrent request cannot mute it in between.
    const followed = await setTagFollow(tx, { ...follow, following });
    if (
      following &&
      followed.length > 0 &&
      (await countTagFollows(tx, viewer.id)) > serverLimits.followedTags
    )
      throw new ProblemError('too-many-followed-tags', { params: { max: serverLimits.followedTags } });
    const unmuted = following ? await unmuteTag(tx, follow) : [];
    await publishAll(tx, [...followed, ...unmuted]);
  });
  return { following };
}

type FollowingFeedRequest = { viewer: Viewer; muted: MutedChoice };

/** 'All Questions': with a followed tag, or followed themselves, newest first (docs/product.md 10.5). */
export async function readFollowedQuestions(
  db: Reader,
  { viewer, muted, cursor }: FollowingFeedRequest & { cursor: string | undefined },
): Promise<FeedPage> {
  const mutes = await readMutesToApply(db, { viewerId: viewer.id, muted });
  const window = mutes === null ? serverLimits.feedPage : followedWindow;
  const rows = await listFollowedQuestions(db, {
    viewerId: viewer.id,
    cursor: decodeCursor(cursor),
    limit: window + 1,
    mutes,
  });
  const {
    items,
    hidden: mutedCount,
    nextCursor,
  } = skipMuted(rows, {
    size: serverLimits.feedPage,
    window,
    position: (row): Cursor => ({ after: row.created_at.getTime(), id: row.id }),
  });
  return { items: items.map(({ card }) => card), mutedCount, nextCursor };
}

/** 'This Week': the last 7 days, at most 10, latest activity first (docs/product.md 10.5). */
export async function readRecentActivity(
  db: Reader,
  { viewer, muted }: FollowingFeedRequest,
): Promise<FeedPage> {
  const since = new Date(Date.now() - 7 * 24 * 60 * 60 * 1000);
  const mutes = await readMutesToApply(db, { viewerId: viewer.id, muted });
  const window = mutes === null ? maxActivity : followedWindow;
  const rows = await listRecentlyActiveFollowed(db, { viewerId: viewer.id, since, limit: window, mutes });
  const { items, hidden: mutedCount } = skipMuted(rows, {
    size: maxActivity,
    window,
    position: (row): Cursor => ({ after: 0, id: row.id }),
  });
  return { items: items.map(({ card }) => card), mutedCount, nextCursor: null };
}

const maxActivity = 10;

/** Rows that each followed tag contributes to one page at most. */
const followedWindow = 40;

/** Names of tags and ids of questions, each, that one response contains at most. */
const maxFollows = serverLimits.followedTags;

/**
 * Returns what the viewer follows, latest first. The browser uses it to select the live updates that concern the
 * viewer.
 */
export async function readFollows(db: Reader, viewer: Viewer): Promise<Follows> {
  const { tags, questions } = await listFollows(db, { viewerId: viewer.id, limit: maxFollows });
  return { tags, questions, complete: tags.length < maxFollows && questions.length < maxFollows };
}
