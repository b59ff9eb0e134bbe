import type { Tx } from '#server/core/database.ts';
import { publishAll } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { endDraft, type PostedText } from './drafts.ts';
import { type HeldPostDraft, insertHeldPost } from './held-posts-queries.ts';
import { addToReviewQueue, findReviewReasons, type ReviewSettings } from './review-items.ts';

/** A post of a member, as it would be stored. */
type PostToHold = {
  held: Omit<HeldPostDraft, 'memberId'>;
  /** Of a question with its title. */
  text: string;
  viewer: Viewer;
  /** Reserved for the post; null if it has no id yet. */
  postId: number | null;
  draft: PostedText;
  settings: ReviewSettings;
  publicUrl: string | null;
};

/** The id of a new post, and whether it waits for approval. */
export type NewPostId = { id: number; held: boolean };

/**
 * Holds a new post for approval if the site settings say so: a post that would wait in the review queue while everyone
 * sees it, with the setting `holdForApproval` (docs/product.md 14.14). Call it once nothing else can refuse the post, and
 * before it is stored. Returns the id that is reserved for the post, or null if it is not held.
 */
export async function holdPost(tx: Tx, wanted: PostToHold): Promise<number | null> {
  const { held, text, viewer, postId, draft, settings, publicUrl } = wanted;
  if (!settings.get('holdForApproval')) return null;
  const written = { post: { kind: held.kind, id: null }, viewer, text, before: null };
  const reasons = await findReviewReasons(tx, { posts: [written], settings, publicUrl });
  const reason = reasons.get(written);
  if (reason === undefined) return null;
  const { id, post_id: reservedId } = await insertHeldPost(tx, {
    held: { ...held, memberId: viewer.id },
    postId,
  });
  const post = { kind: held.kind, id: reservedId };
  await publishAll(tx, [
    ...(await addToReviewQueue(tx, [{ post, reason, heldPostId: id }])),
    ...(await endDraft(tx, draft)),
    { topic: `member:${viewer.id}`, event: { kind: 'member-changed' } },
  ]);
  return reservedId;
}
