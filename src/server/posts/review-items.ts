import type { Tx } from '#server/core/database.ts';
import type { TopicEvent } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import type { RuntimeSettings } from '#server/core/runtime-settings.ts';
import { notifyModerators } from '#server/notifications/index.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { canModerate } from '#shared/identity/roles.ts';
import {
  countPostsOf,
  insertReviewItems,
  isReviewQueueEmpty,
  type NewReviewItem,
  type ReviewReason,
} from './review-items-queries.ts';
import { findLinks, judgePost } from './spam-rules.ts';

export type ReviewSettings = Pick<RuntimeSettings, 'get'>;

/** `post`: null for one that is not stored yet. */
type WrittenPost<Post = PostRef | null> = {
  post: Post;
  viewer: Viewer;
  /** Of a question with its title. */
  text: string;
  /** The text before an edit, which can add links but is no first post; null for a new post. */
  before: string | null;
};

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
  }: { posts: readonly WrittenPost<PostRef>[]; settings: ReviewSettings; publicUrl: string | null },
): Promise<TopicEvent[]> {
  const reasons = await findReviewReasons(tx, { posts, settings, publicUrl });
  return addToReviewQueue(
    tx,
    [...reasons].map(([{ post }, reason]) => ({ post, reason, heldPostId: null })),
  );
}

/** Adds posts to the review queue. Returns the events to publish. */
export async function addToReviewQueue(tx: Tx, items: readonly NewReviewItem[]): Promise<TopicEvent[]> {
  if (items.length === 0) return [];
  const isFirst = await isReviewQueueEmpty(tx);
  await insertReviewItems(tx, items);
  return [
    ...(await notifyModerators(tx, { isFirst, except: null })),
    { topic: 'moderation', event: { kind: 'moderation-changed' } },
  ];
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
  const candidates = posts
    .filter(({ viewer }) => !canModerate(viewer.memberStatus.role))
    .map((each) => ({
      each,
      linksMax: addsLinks(each, publicUrl) ? postsWithLinks : 0,
      firstMax: each.before === null ? firstPosts : 0,
      rulesMax: canMatch(each, { settings, publicUrl }) ? postsUnderRules : 0,
    }))
    .filter(({ linksMax, firstMax, rulesMax }) => linksMax > 0 || firstMax > 0 || rulesMax > 0);
  if (candidates.length === 0) return new Map();
  const counts = await countPostsOf(tx, [...new Set(candidates.map(({ each }) => each.viewer.id))], {
    max: Math.max(firstPosts, postsWithLinks, postsUnderRules),
    recentMinutes: settings.get('newMemberPostsMinutes'),
    except: candidates.flatMap(({ each: { post } }) => (post === null ? [] : [post])),
  });
  return new Map(
    candidates.flatMap(({ each, linksMax, firstMax, rulesMax }): [Post, ReviewReason][] => {
      const { posts: earlier, recent: recentPosts } = counts.get(each.viewer.id) ?? { posts: 0, recent: 0 };
      const { reasons } =
        earlier < rulesMax ? judgePost({ ...each, publicUrl, recentPosts }, settings) : { reasons: [] };
      if (reasons.length > 0) return [[each, { cause: 'spam_rule', matchedRules: reasons }]];
      if (earlier < linksMax) return [[each, { cause: 'links', matchedRules: null }]];
      return earlier < firstMax ? [[each, { cause: 'first_post', matchedRules: null }]] : [];
    }),
  );
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
