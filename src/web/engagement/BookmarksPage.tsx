import { t } from '@lingui/core/macro';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { usePageSearch } from '#web/core/router.ts';
import { BookmarkCard } from './BookmarkCard.tsx';
import { BookmarkLists } from './BookmarkLists.tsx';
import { bookmarkListsQuery, bookmarksQuery } from './bookmark-lists.ts';
import { BookmarkSearch } from './BookmarkSearch.tsx';
import { BookmarkSkeletons } from './BookmarkSkeletons.tsx';
import { useLiveBookmarks } from './useLiveBookmarks.ts';
import { hasStatus } from '#web/core/errors.ts';
import { paths } from '#web/core/paths.ts';
import { ButtonLink } from '#web/ui/Link.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import classes from '#web/ui/page.module.css';

/** All bookmarks are the default of an address without a list. */
const parseBookmarksSearch = ({
  list,
  q,
}: Record<string, unknown>): { list?: number | undefined; q?: string | undefined } => ({
  list: /^[1-9]\d{0,14}$/u.test(String(list)) ? Number(list) : undefined,
  q: typeof q === 'string' && q.trim() !== '' ? q.trim() : undefined,
});

/** The member's bookmarks. They are private. */
export function BookmarksPage() {
  const { list = null, q = '' } = usePageSearch(parseBookmarksSearch);
  const lists = useQuery(bookmarkListsQuery);
  const bookmarks = useInfiniteQuery(bookmarksQuery({ listId: list, q }));
  useLiveBookmarks();
  usePageTitle(t`Bookmarks`);
  return (
    <>
      <PageHeading className={classes.heading}>{t`Bookmarks`}</PageHeading>
      <BookmarkSearch q={q} list={list} />
      {lists.data && <BookmarkLists lists={lists.data} listId={list} />}
      {lists.isPending ? (
        // Includes the lists above, which would otherwise move it when they load.
        <BookmarkSkeletons withLists />
      ) : hasStatus(bookmarks.error, 404) ? (
        <EmptyState title={t`This list was deleted`} text={t`Its bookmarks are still in “All”.`}>
          <ButtonLink href={paths.bookmarks}>{t`Show all bookmarks`}</ButtonLink>
        </EmptyState>
      ) : (
        <PagedList
          query={bookmarks}
          noun="bookmarks"
          keyOf={(bookmark) => bookmark.id}
          pending={<BookmarkSkeletons />}
          empty={<NoBookmarks searched={q !== ''} listed={list !== null} />}
        >
          {(items) =>
            items.map((bookmark) => (
              <BookmarkCard key={bookmark.id} bookmark={bookmark} lists={lists.data?.items ?? []} />
            ))
          }
        </PagedList>
      )}
    </>
  );
}

function NoBookmarks({ searched, listed }: { searched: boolean; listed: boolean }) {
  if (searched)
    return (
      <EmptyState
        title={t`No bookmarks found`}
        text={t`The search covers your notes and the titles of your bookmarks.`}
      >
        <ButtonLink href={paths.bookmarks}>{t`Show all bookmarks`}</ButtonLink>
      </EmptyState>
    );
  if (listed)
    return (
      <EmptyState
        title={t`Nothing in this list yet`}
        text={t`Use “Choose lists” on a bookmark to add it to this list.`}
      >
        <ButtonLink href={paths.bookmarks}>{t`Show all bookmarks`}</ButtonLink>
      </EmptyState>
    );
  return (
    <EmptyState
      title={t`No bookmarks yet`}
      text={t`Bookmark a question or an answer to save it here, with a note. Only you can see your bookmarks.`}
    >
      <ButtonLink href={paths.home}>{t`Browse questions`}</ButtonLink>
    </EmptyState>
  );
}
