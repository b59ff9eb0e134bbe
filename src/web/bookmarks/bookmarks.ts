import {
  infiniteQueryOptions,
  queryOptions,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query';
import type { Bookmark, BookmarkDraft, Bookmarks } from '#shared/bookmarks.ts';
import { api, read } from '#web/platform/api.ts';
import type { Sending } from '#web/platform/send-waiting.ts';
import type { PostRef } from '#web/posts/post.ts';

/** Under which keys the cache holds the member's bookmarks. */
export const bookmarkKeys = {
  all: ['bookmarks'],
  pages: ['bookmarks', 'pages'],
  lists: ['bookmarks', 'lists'],
} as const;

/** What a page of bookmarks shows: `listId` null for all, `q` empty for no search. */
export type Shown = { listId: number | null; q: string };

/** Newest first, 20 at a time. */
export function bookmarksQuery({ listId, q }: Shown) {
  return infiniteQueryOptions({
    queryKey: [...bookmarkKeys.pages, listId, q],
    queryFn: ({ pageParam: cursor, signal }) =>
      read(
        api.bookmarks.$get(
          {
            query: {
              q,
              ...(listId === null ? {} : { list: String(listId) }),
              ...(cursor === null ? {} : { cursor }),
            },
          },
          { init: { signal } },
        ),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
}

export const bookmarkListsQuery = queryOptions({
  queryKey: bookmarkKeys.lists,
  queryFn: ({ signal }) => read(api['bookmark-lists'].$get({}, { init: { signal } })),
  staleTime: 0,
});

/** What can be kept. */
export type BookmarkedPost = PostRef & { kind: 'question' | 'answer' };

export function putBookmark(post: BookmarkedPost, draft: BookmarkDraft, sending: Partial<Sending> = {}) {
  const owner = post.kind === 'question' ? api.questions : api.answers;
  return read(owner[':id'].bookmark.$put({ param: { id: String(post.id) }, json: draft }, sending));
}

export function putNote(id: number, note: string) {
  return read(api.bookmarks[':id'].note.$put({ param: { id: String(id) }, json: { note } }));
}

export function putLists(id: number, listIds: number[]) {
  return read(api.bookmarks[':id'].lists.$put({ param: { id: String(id) }, json: { listIds } }));
}

export function postList(name: string) {
  return read(api['bookmark-lists'].$post({ json: { name } }));
}

export function putList(id: number, name: string) {
  return read(api['bookmark-lists'][':id'].$put({ param: { id: String(id) }, json: { name } }));
}

export function deleteList(id: number) {
  return read(api['bookmark-lists'][':id'].$delete({ param: { id: String(id) } }));
}

/** Bookmarks changed, here or in another tab. */
export function refreshBookmarks(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: bookmarkKeys.all });
}

/** Changes bookmarks wherever the cache holds them; null takes one off. */
export function changeBookmarks(client: QueryClient, change: (bookmark: Bookmark) => Bookmark | null): void {
  client.setQueriesData<InfiniteData<Bookmarks>>(
    { queryKey: bookmarkKeys.pages },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          items: page.items.map(change).filter((bookmark) => bookmark !== null),
        })),
      },
  );
}

export function postOf({ questionId, answerId }: Pick<Bookmark, 'questionId' | 'answerId'>): BookmarkedPost {
  return answerId === null ? { kind: 'question', id: questionId } : { kind: 'answer', id: answerId };
}
