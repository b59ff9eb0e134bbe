import type { QueryClient } from '@tanstack/react-query';
import type { BookmarkDraft } from '#shared/engagement/bookmarks.ts';
import { api, readJson } from '#web/core/api.ts';
import type { QueuedRequestOptions } from '#web/core/send-or-queue.ts';
import type { PostRef } from '#shared/core/fields.ts';

/** The query keys of the member's bookmarks. */
export const bookmarkKeys = {
  all: ['bookmarks'],
  pages: ['bookmarks', 'pages'],
  lists: ['bookmarks', 'lists'],
} as const;

/** Posts that can be bookmarked. */
export type BookmarkedPost = PostRef & { kind: 'question' | 'answer' };

export function putBookmark(
  post: BookmarkedPost,
  draft: BookmarkDraft,
  sending: Partial<QueuedRequestOptions> = {},
) {
  const owner = post.kind === 'question' ? api.questions : api.answers;
  return readJson(owner[':id'].bookmark.$put({ param: { id: String(post.id) }, json: draft }, sending));
}

/** Refetches bookmarks after a change, here or in another tab. */
export function refreshBookmarks(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: bookmarkKeys.all });
}
