import type { Tx } from '#server/core/database.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import { endQueueNotifications, notifyOfQueue } from '#server/notifications/index.ts';
import type { PostKind, PostRef } from '#shared/core/fields.ts';
import { canModerate } from '#shared/identity/roles.ts';
import { maxEarlierPosts } from './spam-classifier.ts';
import {
  countPostsOf,
  insertReviewItems,
  isInReviewQueue,
  isReviewQueueEmpty,
  type NewReviewItem,
  type ReviewReason,
} from './review-items-queries.ts';
import { findLinks, judgePost } from './spam-rules.ts';
import { estimateWrittenPosts } from './spam-training.ts';

export type ReviewSettings = Pick<SiteSettings, 'get'>;

/** `id`: null for a post that is not stored yet. */
type WrittenPost<Id = number | null> = {
  post: { kind: PostKind; id: Id };
  viewer: Viewer;
  /** The member who wrote an edit that the viewer approves. */
  editorId?: number;
  /** Of a question with its title. */
  text: string;
  /** The text before an edit, which can add links but is no first post; null for a new post. */
  before: string | null;
};

const authorOf = ({ viewer, editorId = viewer.id }: WrittenPost) => editorId;

/** The whole text of a question, or the text of another post: spam can be anywhere. */
export const joinTexts = ({ title, content }: { title: string | null; content: string }) =>
  title === null ? content : `${title}\n${content}`;

/**
 * Puts posts of new members into the review queue as the site settings say: posts and edits that match a spam rule or
 * have links to other sites, and first posts (docs/product.md 14.6, 14.12). Call it after the posts are stored, or before
 * in the same transaction. Returns the events to publish.
 */
export async function queueForReview(
  tx: Tx,
  {
    posts,
    settings,
    publicUrl,
  }: { posts: readonly WrittenPost<number>[]; settings: ReviewSettings; publicUrl: string | null },
): Promise<TopicEvent[]> {
  const reasons = await findReviewReasons(tx, { posts, settings, publicUrl });
  return addToReviewQueue(
    tx,
    [...reasons].map(([{ post }, reason]) => ({ post, reason, heldPostId: null })),
  );
}

/** Returns the events of an edit for open pages with the review queue, if the post waits there. */
export async function findQueuedEditEvents(tx: Tx, post: PostRef): Promise<TopicEvent[]> {
  return (await isInReviewQueue(tx, post)) ? [queueChanged] : [];
}

/** Adds posts to the review queue. Returns the events to publish. */
export async function addToReviewQueue(tx: Tx, items: readonly NewReviewItem[]): Promise<TopicEvent[]> {
  return items.length === 0 ? [] : enterReviewQueue(tx, () => insertReviewItems(tx, items));
}

const queueChanged: TopicEvent = { topic: 'moderation', event: { kind: 'moderation-changed' } };

/**
 * Puts something into the review queue, and notifies the moderators. Returns the events to publish.
 * @param insert returns 0 if it added nothing after all: then no one is notified
 * @param except the member who caused it, if a moderator is not to be notified of own posts
 */
export async function enterReviewQueue(
  tx: Tx,
  insert: () => Promise<number | void>,
  except: number | null = null,
): Promise<TopicEvent[]> {
  const isFirst = await isReviewQueueEmpty(tx);
  if ((await insert()) === 0) return [];
  return [...(await notifyOfQueue(tx, { kind: 'review', isFirst, except })), queueChanged];
}

/**
 * Call it after entries left the review queue: ends the notifications of moderators if nothing else waits, and publishes
 * the change, so that open pages read the queue again.
 */
export async function leaveReviewQueue(tx: Tx): Promise<void> {
  await publishAll(tx, [...(await endQueueNotifications(tx, 'review')), queueChanged]);
}

/** Runs a change that can take entries out of the review queue, also by cascades, and then `leaveReviewQueue`. */
export async function changeReviewQueue<Result>(tx: Tx, change: () => Promise<Result>): Promise<Result> {
  const wasEmpty = await isReviewQueueEmpty(tx);
  const result = await change();
  if (!wasEmpty) await leaveReviewQueue(tx);
  return result;
}

/** Returns why posts wait for review as the site settings say. Posts that do not wait are left out. */
export async function findReviewReasons<Post extends WrittenPost>(
  tx: Tx,
  {
    posts,
    settings,
    publicUrl,
  }: { posts: readonly Post[]; settings: ReviewSettings; publicUrl: string | null },
): Promise<Map<Post, ReviewReason>> {
  const firstPosts = settings.get('reviewFirstPosts');
  const postsWithLinks = settings.get('reviewLinksOfFirstPosts');
  const postsUnderRules = settings.get('spamRulesOfFirstPosts');
  const minProbability = settings.get('spamProbability');
  const candidates = posts
    .filter(({ viewer }) => !canModerate(viewer.memberStatus.role))
    .map((each) => ({
      each,
      linksMax: addsLinks(each, publicUrl) ? postsWithLinks : 0,
      firstMax: each.before === null ? firstPosts : 0,
      rulesMax: minProbability > 0 || canMatch(each, { settings, publicUrl }) ? postsUnderRules : 0,
    }))
    .filter(({ linksMax, firstMax, rulesMax }) => linksMax > 0 || firstMax > 0 || rulesMax > 0);
  if (candidates.length === 0) return new Map();
  const counts = await countPostsOf(tx, [...new Set(candidates.map(({ each }) => authorOf(each)))], {
    max: Math.max(firstPosts, postsWithLinks, postsUnderRules, maxEarlierPosts),
    recentMinutes: settings.get('newMemberPostsMinutes'),
    except: candidates.flatMap(({ each: { post } }) => (post.id === null ? [] : [{ ...post, id: post.id }])),
  });
  const countOf = (post: WrittenPost) => counts.get(authorOf(post)) ?? { posts: 0, recent: 0 };
  const probable = await findProbableSpam(
    tx,
    candidates.filter(({ each, rulesMax }) => countOf(each).posts < rulesMax).map(({ each }) => each),
    { minProbability, countOf },
  );
  return new Map(
    candidates.flatMap(({ each, linksMax, firstMax, rulesMax }): [Post, ReviewReason][] => {
      const { posts: earlier, recent: recentPosts } = countOf(each);
      const rules =
        earlier < rulesMax ? judgePost({ ...each, publicUrl, recentPosts }, settings).reasons : [];
      const percent = probable.get(each);
      const reasons = [
        ...(percent === undefined ? [] : [{ rule: 'probability' as const, value: String(percent) }]),
        ...rules,
      ];
      if (reasons.length > 0) return [[each, { cause: 'spam_rule', matchedRules: reasons }]];
      if (earlier < linksMax) return [[each, { cause: 'links', matchedRules: null }]];
      return earlier < firstMax ? [[each, { cause: 'first_post', matchedRules: null }]] : [];
    }),
  );
}

/**
 * Returns the posts that are spam with at least `minProbability` percent by the estimate of the classifier, with the
 * estimate. An edit of a post for which this was true before is left out: a moderator has seen that post.
 */
async function findProbableSpam<Post extends WrittenPost>(
  tx: Tx,
  posts: readonly Post[],
  { minProbability, countOf }: { minProbability: number; countOf: (post: WrittenPost) => { posts: number } },
): Promise<Map<Post, number>> {
  if (minProbability === 0) return new Map();
  const estimate = (versions: readonly WrittenPost[]) =>
    estimateWrittenPosts(
      tx,
      versions.map((each) => ({
        kind: each.post.kind,
        text: each.text,
        authorId: authorOf(each),
        earlierPosts: Math.min(countOf(each).posts, maxEarlierPosts),
      })),
    );
  const estimates = await estimate(posts);
  const found = posts.flatMap((post, index) => {
    const percent = estimates[index]?.percent ?? 0;
    return percent >= minProbability ? [{ post, percent }] : [];
  });
  const edits = found.filter(({ post }) => post.before !== null);
  const before = await estimate(edits.map(({ post }) => ({ ...post, text: post.before ?? '' })));
  const known = new Set(
    edits.filter((_, index) => (before[index]?.percent ?? 0) >= minProbability).map(({ post }) => post),
  );
  return new Map(found.filter(({ post }) => !known.has(post)).map(({ post, percent }) => [post, percent]));
}

/** Whether a post could match a spam rule if its author is new. Most edits cannot, and need no count of posts. */
function canMatch(
  post: WrittenPost,
  { settings, publicUrl }: { settings: ReviewSettings; publicUrl: string | null },
): boolean {
  return judgePost({ ...post, publicUrl, recentPosts: Infinity }, settings).reasons.length > 0;
}

/** Whether a text has links to other sites that the text before did not have. */
function addsLinks({ text, before }: WrittenPost, publicUrl: string | null): boolean {
  const earlier = new Set(findLinks(before ?? '', publicUrl).map(({ link }) => link));
  return findLinks(text, publicUrl).some(({ link }) => !earlier.has(link));
}
