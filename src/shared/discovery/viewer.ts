import type { FeedPage, FeedViewer } from '#shared/engagement/mutes.ts';
import type { QuestionCardsDocument } from '#shared/posts/questions-document.ts';
import { combineQuestionCards } from '#shared/posts/questions-viewer.ts';
import type { ListedTagDocument, Tag, TagsDocument, TagsPage, TagsViewer } from './tags.ts';

/** A page of a feed as its viewer sees it. */
export function combineFeedPage(document: QuestionCardsDocument, viewer: FeedViewer): FeedPage {
  return viewer.withoutMuted ?? { ...combineQuestionCards(document, viewer), mutedCount: 0 };
}

/** A tag as its viewer sees it. */
export function combineTag<Document extends ListedTagDocument>(
  document: Document,
  { following, muted }: TagsViewer,
): Document & Pick<Tag, 'following' | 'muted'> {
  const { name } = document;
  return { ...document, following: following.includes(name), muted: muted.includes(name) };
}

/** A page of tags as its viewer sees it. */
export function combineTagsPage({ items, nextCursor }: TagsDocument, viewer: TagsViewer): TagsPage {
  return { items: items.map((tag) => combineTag(tag, viewer)), nextCursor };
}
