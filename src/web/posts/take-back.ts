import { draftPlaces } from '#shared/draft-places.ts';
import { offerDraft } from '#web/platform/drafts.ts';
import { removeWaiting } from '#web/platform/waiting.ts';
import { targetOf, type WaitingPost } from './waiting-posts.ts';

/**
 * Makes it the draft of its form again; false where that holds another one. Apart from what sends such posts, which every
 * page has: drafts come with the pages that have forms.
 */
export function takeBack(memberId: number, post: WaitingPost): boolean {
  const { content, key } = post.data;
  const refused = post.item.refused === null ? {} : { refused: post.item.refused };
  if (!offerDraft(memberId, placeOf(post), { content, key, ...refused })) return false;
  removeWaiting(memberId, post.item);
  return true;
}

function placeOf(post: WaitingPost): string {
  if (post.kind === 'answer') return draftPlaces.answer(post.data.questionId);
  return draftPlaces.reply(targetOf(post.data));
}
