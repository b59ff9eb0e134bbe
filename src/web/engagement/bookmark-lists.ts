import { type InfiniteData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Bookmark, Bookmarks } from '#shared/engagement/bookmarks.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';
import { paths } from '#web/core/paths.ts';
import { bookmarkKeys, type BookmarkedPost } from './bookmarks.ts';

// Not in bookmarks.ts, which a question page loads before it handles input.

/** The bookmarks to show: `listId` null for all, `q` empty for no search. */
export type BookmarkFilter = { listId: number | null; q: string };

/** Newest first, 20 at a time. */
export function bookmarksQuery({ listId, q }: BookmarkFilter) {
  return pagedQuery([...bookmarkKeys.pages, listId, q], (page, options) =>
    readJson(
      api.bookmarks.$get(
        {
          query: {
            q,
            ...(listId === null ? {} : { list: String(listId) }),
            ...page,
          },
        },
        options,
      ),
    ),
  );
}

export const bookmarkListsQuery = queryOptions({
  queryKey: bookmarkKeys.lists,
  queryFn: ({ signal }) => readJson(api['bookmark-lists'].$get({}, { init: { signal } })),
  staleTime: 0,
});

export function putBookmarkNote(id: number, note: string) {
  return readJson(api.bookmarks[':id'].note.$put({ param: { id: String(id) }, json: { note } }));
}

export function putBookmarkListIds(id: number, listIds: number[]) {
  return readJson(api.bookmarks[':id'].lists.$put({ param: { id: String(id) }, json: { listIds } }));
}

export function createBookmarkList(name: string) {
  return readJson(api['bookmark-lists'].$post({ json: { name } }));
}

export function renameBookmarkList(id: number, name: string) {
  return readJson(api['bookmark-lists'][':id'].$put({ param: { id: String(id) }, json: { name } }));
}

export function deleteBookmarkList(id: number) {
  return readJson(api['bookmark-lists'][':id'].$delete({ param: { id: String(id) } }));
}

/** Changes bookmarks in every cached list; null removes one. */
export function updateCachedBookmarks(
  client: QueryClient,
  change: (bookmark: Bookmark) => Bookmark | null,
): void {
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

export function bookmarkedPostOf({
  questionId,
  answerId,
}: Pick<Bookmark, 'questionId' | 'answerId'>): BookmarkedPost {
  return answerId === null ? { kind: 'question', id: questionId } : { kind: 'answer', id: answerId };
}

/** The page of a list; null: of all bookmarks. */
export function bookmarkListPath(id: number | null): string {
  return id === null ? paths.bookmarks : `${paths.bookmarks}?list=${id}`;
}
