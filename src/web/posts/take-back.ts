import { draftTargets } from '#shared/draft-places.ts';
import { prefillDraft } from '#web/platform/drafts.ts';
import { dequeueAction } from '#web/platform/waiting.ts';
import { replyTarget, type QueuedPost } from './waiting-posts.ts';

/**
 * Makes it the draft of its form again; false where that holds another one. Apart from what sends such posts, which every
 * page has: drafts come with the pages that have forms.
 */
export function restoreAsDraft(memberId: number, post: QueuedPost): boolean {
  const { content, key } = post.data;
  const refused = post.item.refusalReason === null ? {} : { refused: post.item.refusalReason };
  if (!prefillDraft(memberId, draftTargetOf(post), { content, key, ...refused })) return false;
  dequeueAction(memberId, post.item);
  return true;
}

function draftTargetOf(post: QueuedPost): string {
  if (post.kind === 'answer') return draftTargets.answer(post.data.questionId);
  return draftTargets.reply(replyTarget(post.data));
}
