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
} from './review-items-queries.ts';

export type ReviewSettings = Pick<RuntimeSettings, 'get'>;

type WrittenPost = {
  post: PostRef;
  viewer: Viewer;
  text: string;
  /** The text before an edit, which can add links but is no first post; null for a new post. */
  before: string | null;
};

/**
 * Puts posts of new members into the review queue as the site settings say: first posts, and posts or edits with links
 * to other sites (docs/product.md 14.6). Call it after the posts are stored, or before in the same transaction. Returns
 * the events to publish.
 */
export async function queueForReview(
  tx: Tx,
  {
    posts,
    settings,
    publicUrl,
  }: { posts: readonly WrittenPost[]; settings: ReviewSettings; publicUrl: string | null },
): Promise<TopicEvent[]> {
  const firstPosts = settings.get('reviewFirstPosts');
  const postsWithLinks = settings.get('reviewLinksOfFirstPosts');
  const candidates = posts
    .filter(({ viewer }) => !canModerate(viewer.memberStatus.role))
    .map((each) => ({
      ...each,
      linksMax: addsLinks(each, publicUrl) ? postsWithLinks : 0,
      firstMax: each.before === null ? firstPosts : 0,
    }))
    .filter(({ linksMax, firstMax }) => linksMax > 0 || firstMax > 0);
  if (candidates.length === 0) return [];
  const memberIds = [...new Set(candidates.map(({ viewer }) => viewer.id))];
  const counts = await countPostsOf(tx, memberIds, {
    max: Math.max(firstPosts, postsWithLinks),
    except: candidates.map(({ post }) => post),
  });
  const items = candidates.flatMap(({ post, viewer, linksMax, firstMax }): NewReviewItem[] => {
    const earlier = counts.get(viewer.id) ?? 0;
    if (earlier < linksMax) return [{ post, cause: 'links' }];
    return earlier < firstMax ? [{ post, cause: 'first_post' }] : [];
  });
  if (items.length === 0) return [];
  const isFirst = await isReviewQueueEmpty(tx);
  await insertReviewItems(tx, items);
  return [
    ...(await notifyModerators(tx, { isFirst, except: null })),
    { topic: 'moderation', event: { kind: 'moderation-changed' } },
  ];
}

/** Whether a text has links to other sites that the text before did not have. */
function addsLinks({ text, before }: WrittenPost, publicUrl: string | null): boolean {
  const earlier = new Set(findLinks(before ?? '', publicUrl));
  return findLinks(text, publicUrl).some((link) => !earlier.has(link));
}

/** Addresses in a text that lead to other sites, also in code and without Markdown: spam is written in any way. */
function findLinks(text: string, publicUrl: string | null): string[] {
  const site = publicUrl === null ? null : new URL(publicUrl).host.toLowerCase();
  const found = text.matchAll(/(?:https?:\/\/|\bwww\.)([^\s/()<>[\]"'`?#]+)[^\s()<>[\]"'`]*/giu);
  return [...found].filter(([, host]) => host?.toLowerCase() !== site).map(([link]) => link);
}
