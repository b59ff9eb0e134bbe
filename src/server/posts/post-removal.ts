import { deletePostNotifications } from '#server/notifications/index.ts';
import type { Tx } from '#server/core/database.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import type { PostKind, PostRef } from '#shared/core/fields.ts';
import { recountAnswers, updateAcceptedAnswer } from './answers-queries.ts';
import { deleteReplyFromThread, hideReplyInThread, showReplyInThread } from './placeholders.ts';
import {
  type AffectedPost,
  changeAuthorCounts,
  deleteHiddenPost,
  deletePostRows,
  hideRows,
  listAffectedPosts,
  listHiddenPostIds,
  listTagsOfHidden,
  lockHiddenPost,
  markTagsOfPurged,
  showRows,
} from './post-removal-queries.ts';
import {
  buildAcceptanceEvents,
  buildDuplicateEvents,
  buildProfileEvents,
  buildQuestionActivityEvent,
  buildQuestionCountsEvent,
} from './posts-events.ts';
import type { PostIds } from './posts.ts';
import { clearDuplicatesOf } from './questions-queries.ts';
import { closeReportsOfDeletedPosts } from './reports-closing.ts';
import { changeReviewQueue } from './review-items.ts';
import { writeSortKeys } from './sort-keys.ts';
import { addToStatistics, removeFromStatistics } from './statistics-changes.ts';
import { countQuestionTags, recomputeTagsOf, touchTags } from './tags.ts';
import { resumeTagProposals, suspendTagProposals, withdrawTagProposals } from './tag-proposals.ts';
import { listPendingProposals } from './tag-proposals-queries.ts';
import { writeTagText } from './tags-moving-queries.ts';
import { listQuestionTags } from './tags-queries.ts';

/** A post that is removed or restored, in its locked question. */
type PostInThread = { post: PostRef; question: { id: number; accepted_answer_id: number | null } };

/** `hiddenBy`: the row of `hidden_post` for a post to hide; null deletes the post permanently. */
type Removal = PostInThread & { hiddenBy: number | null };

/**
 * Deletes a post with everything below it, or hides it, and updates all counts. The question must be locked; a reply
 * that is deleted can be locked instead. Checks no permission.
 */
export async function removePost(tx: Tx, removal: Removal): Promise<void> {
  await changeReviewQueue(tx, () => removeWithCounts(tx, removal));
}

async function removeWithCounts(tx: Tx, { post, question, hiddenBy }: Removal): Promise<void> {
  const posts = await listAffectedPosts(tx, post);
  const ids = toPostIds(posts);
  await removeFromStatistics(tx, ids);
  await changeAuthorCounts(tx, ids, -1);
  await closeReportsOfDeletedPosts(tx, ids);
  const tags = post.kind === 'question' ? await listQuestionTags(tx, post.id) : [];
  const proposals = post.kind === 'question' ? await listPendingProposals(tx, [post.id]) : [];
  const notificationEvents =
    hiddenBy === null
      ? await deletePostNotifications(tx, post)
      : buildNotificationEvents(await hideRows(tx, { post, hiddenBy }));
  if (post.kind === 'reply')
    await (hiddenBy === null ? deleteReplyFromThread : hideReplyInThread)(tx, post.id);
  else if (hiddenBy === null) await deletePostRows(tx, { kind: post.kind, id: post.id });
  const events = {
    question: () => leaveLists(tx, { id: post.id, at: getLatestTime(posts), tags }),
    answer: () => leaveQuestion(tx, { id: post.id, question, posts }),
    reply: (): TopicEvent[] => [
      { topic: `question:${question.id}`, event: { kind: 'reply-deleted', replyId: post.id } },
    ],
  };
  await publishAll(tx, [
    ...(await events[post.kind]()),
    ...buildProfileEvents(posts.map((each) => each.author_id)),
    ...notificationEvents,
  ]);
  // After the tags, which are locked before proposals.
  if (post.kind !== 'question') return;
  if (hiddenBy === null) await withdrawTagProposals(tx, { questionIds: [post.id], ids: proposals });
  else await suspendTagProposals(tx, proposals);
}

async function leaveLists(
  tx: Tx,
  { id, at, tags }: { id: number; at: Date; tags: readonly { id: number; name: string }[] },
): Promise<TopicEvent[]> {
  const tagEvents = await countQuestionTags(tx, { ids: tags.map((tag) => tag.id), by: -1, at });
  const formerDuplicates = await clearDuplicatesOf(tx, id);
  const names = tags.map((tag) => tag.name);
  const deleted = { kind: 'question-deleted', questionId: id, tags: names } as const;
  return [
    { topic: `question:${id}`, event: { kind: 'deleted' } },
    { topic: 'feeds', event: deleted },
    { topic: 'answers', event: deleted },
    ...tagEvents,
    ...formerDuplicates.flatMap((each) => buildDuplicateEvents(each, null)),
  ];
}

async function leaveQuestion(
  tx: Tx,
  { id, question, posts }: { id: number; question: PostInThread['question']; posts: readonly AffectedPost[] },
): Promise<TopicEvent[]> {
  const wasAccepted = question.accepted_answer_id === id;
  if (wasAccepted) await updateAcceptedAnswer(tx, { questionId: question.id, answerId: null });
  const counts = await recountAnswers(tx, { questionId: question.id, at: getLatestActivity(posts) });
  await recomputeTagsOf(tx, { questionId: question.id, at: getLatestTime(posts) });
  const deleted = { kind: 'answer-deleted', answerId: id } as const;
  return [
    { topic: `question:${question.id}`, event: deleted },
    { topic: 'answers', event: deleted },
    buildQuestionCountsEvent('answer', question.id, counts),
    ...(wasAccepted ? buildAcceptanceEvents(question.id, null) : []),
  ];
}

/**
 * Shows a hidden post again, with everything that was hidden with it, and updates all counts. The question must be
 * locked unless it is the post. Returns the shown posts, each before what is below it.
 */
export async function showPost(
  tx: Tx,
  { post, questionId, hiddenBy }: { post: PostRef; questionId: number; hiddenBy: number },
): Promise<AffectedPost[]> {
  const { posts, recipientIds } = await showRows(tx, hiddenBy);
  const ids = toPostIds(posts);
  await addToStatistics(tx, ids);
  await changeAuthorCounts(tx, ids, 1);
  await writeSortKeys(tx, ids);
  if (post.kind === 'reply') await showReplyInThread(tx, post.id);
  const authorId = posts.find(({ kind, id }) => kind === post.kind && id === post.id)?.author_id ?? 0;
  const events =
    post.kind === 'reply'
      ? // Browsers read the reply again, whether or not they show its placeholder.
        [buildReplyShownEvent(questionId, post.id)]
      : await joinLists(tx, { post: { ...post, authorId }, questionId, posts });
  // After the tags, which are locked before proposals.
  const queueEvents = post.kind === 'question' ? await resumeTagProposals(tx, post.id) : [];
  await publishAll(tx, [
    { topic: `question:${questionId}`, event: { kind: 'edited' } },
    ...events,
    ...queueEvents,
    ...buildProfileEvents(posts.map((each) => each.author_id)),
    ...buildNotificationEvents(recipientIds),
  ]);
  return posts;
}

async function joinLists(
  tx: Tx,
  {
    post,
    questionId,
    posts,
  }: { post: PostRef & { authorId: number }; questionId: number; posts: readonly AffectedPost[] },
): Promise<TopicEvent[]> {
  const at = getLatestTime(posts);
  const tags = await listQuestionTags(tx, questionId);
  const names = tags.map((tag) => tag.name);
  const counts = await recountAnswers(tx, { questionId, at: getLatestActivity(posts) });
  const active = buildQuestionActivityEvent(questionId, names);
  const { authorId } = post;
  if (post.kind === 'question') {
    const tagEvents = await countQuestionTags(tx, { ids: tags.map((tag) => tag.id), by: 1, at });
    // A tag that was renamed meanwhile. It is locked now.
    await writeTagText(tx, [questionId]);
    return [
      {
        topic: 'feeds',
        event: { kind: 'question-posted', questionId, authorId, tags: names, restored: true },
      },
      { topic: 'answers', event: { kind: 'imported' } },
      buildQuestionCountsEvent('vote', questionId, counts),
      active,
      ...tagEvents,
    ];
  }
  await touchTags(tx, { questionIds: [questionId], at });
  const posted = { kind: 'answer-posted', answerId: post.id, authorId } as const;
  return [
    { topic: `question:${questionId}`, event: { ...posted, restored: true } },
    { topic: 'answers', event: posted },
    buildQuestionCountsEvent('answer', questionId, counts),
    active,
  ];
}

/**
 * Deletes a hidden post permanently, with everything below it. No count changes. Returns false if it is not hidden any
 * more.
 */
export async function purgePost(tx: Tx, hiddenPostId: number): Promise<boolean> {
  const post = await lockHiddenPost(tx, hiddenPostId);
  if (post === undefined) return false;
  const { post_kind: kind, post_id: id } = post;
  await changeReviewQueue(tx, async () => {
    if (kind === 'reply') {
      await deleteReplyFromThread(tx, id);
      await deleteHiddenPost(tx, hiddenPostId);
    } else {
      if (kind === 'question') await markTagsOfPurged(tx, await listTagsOfHidden(tx, [id]));
      await deletePostRows(tx, { kind, id });
    }
  });
  return true;
}

/** Deletes hidden posts of a member permanently, at most `limit`. Returns how many there were. */
export async function purgePostsOf(
  tx: Tx,
  { authorId, limit }: { authorId: number; limit: number },
): Promise<number> {
  const ids = await listHiddenPostIds(tx, { authorId, limit });
  for (const id of ids) await purgePost(tx, id);
  return ids.length;
}

const buildReplyShownEvent = (questionId: number, replyId: number): TopicEvent => ({
  topic: `question:${questionId}`,
  event: { kind: 'reply-edited', replyId, restored: true },
});

const buildNotificationEvents = (recipientIds: readonly number[]): TopicEvent[] =>
  recipientIds.map((id) => ({ topic: `member:${id}`, event: { kind: 'notifications-changed' } }));

/** The time of the latest post or edit: the activity of the question depends on it. */
export const getLatestActivity = (posts: readonly AffectedPost[]) =>
  new Date(Math.max(0, ...posts.map((post) => (post.edited_at ?? post.created_at).getTime())));

/** The time of the latest question or answer among the posts: the activity of tags depends on it. */
export function getLatestTime(posts: readonly AffectedPost[]): Date {
  const times = posts.filter(({ kind }) => kind !== 'reply').map((post) => post.created_at.getTime());
  return new Date(Math.max(0, ...times));
}

export function toPostIds(posts: readonly PostRef[]): PostIds {
  const ids = (kind: PostKind) => posts.filter((post) => post.kind === kind).map(({ id }) => id);
  return { questionIds: ids('question'), answerIds: ids('answer'), replyIds: ids('reply') };
}
