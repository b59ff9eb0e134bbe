import type { Tx } from '#server/core/database.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { recountAnswers } from './answers-queries.ts';
import { removeEmptyPlaceholders } from './placeholders.ts';
import {
  type AffectedPost,
  changeAuthorCounts,
  listTagsOfHidden,
  markTagsOfPurged,
} from './post-removal-queries.ts';
import { getLatestActivity, getLatestTime, toPostIds } from './post-removal.ts';
import {
  buildAcceptanceEvents,
  buildDuplicateEvents,
  buildProfileEvents,
  buildQuestionCountsEvent,
} from './posts-events.ts';
import * as queries from './posts-deletion-queries.ts';
import { lockExistingQuestions } from './questions-queries.ts';
import { closeReportsOfDeletedPosts } from './reports-closing.ts';
import { changeReviewQueue } from './review-items.ts';
import { removeFromStatistics } from './statistics-changes.ts';
import { countQuestionTags } from './tags.ts';
import { listPendingProposals } from './tag-proposals-queries.ts';
import { withdrawTagProposals } from './tag-proposals.ts';
import { lockTags, recomputeTagActivity } from './tags-queries.ts';

/** `isRoot`: neither its question nor its answer is deleted with it. */
type PostToDelete = PostRef & { questionId: number; isRoot: boolean };

/**
 * Deletes many posts permanently, hidden or not, and updates all counts, as `removePost` does for one. Their questions, and
 * the duplicates of deleted ones, must be locked. Checks no permission.
 * @param posts with everything below them
 */
export async function deletePosts(tx: Tx, posts: readonly PostToDelete[]): Promise<void> {
  await changeReviewQueue(tx, () => deleteWithCounts(tx, posts));
}

async function deleteWithCounts(tx: Tx, posts: readonly PostToDelete[]): Promise<void> {
  const ids = toPostIds(posts);
  const roots = posts.filter(({ isRoot }) => isRoot);
  const places = [...new Set(roots.filter(({ kind }) => kind !== 'question').map((each) => each.questionId))];
  const visible = await queries.listVisiblePosts(tx, ids);
  const found = {
    tags: await queries.listTagsOfQuestions(tx, [...ids.questionIds, ...places]),
    hiddenTagIds: await listTagsOfHidden(tx, ids.questionIds),
    proposalIds: await listPendingProposals(tx, ids.questionIds),
    memberIds: await queries.listNotifiedMembers(tx, ids),
    unsolvedIds: await queries.listQuestionsAccepting(tx, toPostIds(roots).answerIds),
    duplicateIds: await queries.listDuplicatesOf(tx, ids.questionIds),
    parentIds: await queries.listParents(tx, toPostIds(roots).replyIds),
  };
  await removeFromStatistics(tx, toPostIds(visible));
  await changeAuthorCounts(tx, toPostIds(visible), -1);
  await closeReportsOfDeletedPosts(tx, ids);
  await queries.deleteRows(tx, ids);
  for (const id of found.parentIds) await removeEmptyPlaceholders(tx, id);
  await queries.deleteHiddenRecords(tx, ids);
  await queries.recountHiddenQuestions(tx, places);
  const visibleKeys = new Set(visible.map(toKey));
  const events = [
    ...roots.filter((post) => visibleKeys.has(toKey(post))).flatMap((post) => buildEvents(post, found.tags)),
    ...(await recountPlaces(tx, places, visible)),
    ...(await recountTags(tx, { ...found, places, at: getLatestTime(visible) })),
    ...found.unsolvedIds.flatMap((id) => buildAcceptanceEvents(id, null)),
    ...found.duplicateIds.flatMap((id) => buildDuplicateEvents(id, null)),
    ...buildProfileEvents(visible.map((post) => post.author_id)),
    ...found.memberIds.map((id): TopicEvent => ({
      topic: `member:${id}`,
      event: { kind: 'notifications-changed' },
    })),
  ];
  // After the tags, which are locked before proposals.
  await withdrawTagProposals(tx, { questionIds: ids.questionIds, ids: found.proposalIds });
  await publishAll(tx, events);
}

const toKey = ({ kind, id }: PostRef) => `${kind} ${id}`;

type TagOfQuestion = Awaited<ReturnType<typeof queries.listTagsOfQuestions>>[number];

function buildEvents({ kind, id, questionId }: PostToDelete, tags: readonly TagOfQuestion[]): TopicEvent[] {
  const topic = `question:${questionId}` as const;
  if (kind === 'reply') return [{ topic, event: { kind: 'reply-deleted', replyId: id } }];
  if (kind === 'answer') {
    const event = { kind: 'answer-deleted', answerId: id } as const;
    return [
      { topic, event },
      { topic: 'answers', event },
    ];
  }
  const names = tags.filter((tag) => tag.question_id === id).map((tag) => tag.name);
  const event = { kind: 'question-deleted', questionId: id, tags: names } as const;
  return [
    { topic, event: { kind: 'deleted' } },
    { topic: 'feeds', event },
    { topic: 'answers', event },
  ];
}

/** Recounts the visible questions that lost answers or replies. */
async function recountPlaces(
  tx: Tx,
  places: readonly number[],
  visible: readonly AffectedPost[],
): Promise<TopicEvent[]> {
  const events: TopicEvent[] = [];
  for (const questionId of await lockExistingQuestions(tx, places)) {
    const counts = await recountAnswers(tx, { questionId, at: getLatestActivity(visible) });
    events.push(buildQuestionCountsEvent('answer', questionId, counts));
  }
  return events;
}

/** Updates the counts and the activity of the tags of deleted questions, and of questions that lost answers. */
async function recountTags(
  tx: Tx,
  {
    tags,
    hiddenTagIds,
    places,
    at,
  }: { tags: readonly TagOfQuestion[]; hiddenTagIds: readonly number[]; places: readonly number[]; at: Date },
): Promise<TopicEvent[]> {
  await lockTags(tx, [...tags.map(({ id }) => id), ...hiddenTagIds]);
  const lost = Map.groupBy(
    tags.filter((tag) => !places.includes(tag.question_id)),
    ({ id }) => id,
  );
  const byNumber = Map.groupBy(lost, ([, rows]) => rows.length);
  const events: TopicEvent[] = [];
  for (const [number, each] of byNumber)
    events.push(...(await countQuestionTags(tx, { ids: each.map(([id]) => id), by: -number, at })));
  await recomputeTagActivity(tx, {
    ids: tags.filter((tag) => places.includes(tag.question_id)).map(({ id }) => id),
    at,
  });
  await markTagsOfPurged(tx, hiddenTagIds);
  return events;
}
