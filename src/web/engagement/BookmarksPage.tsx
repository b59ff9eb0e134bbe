import { t } from '@lingui/core/macro';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { BookmarkCard } from './BookmarkCard.tsx';
import { BookmarkLists } from './BookmarkLists.tsx';
import { bookmarkListsQuery, bookmarksQuery } from './bookmarks.ts';
import { BookmarkSearch } from './BookmarkSearch.tsx';
import { BookmarkSkeletons } from './BookmarkSkeletons.tsx';
import { useLiveBookmarks } from './useLiveBookmarks.ts';
import { hasStatus } from '#web/core/errors.ts';
import { paths } from '#web/core/paths.ts';
import { usePageTitle } from '#web/core/page-title.ts';
import { ButtonLink } from '#web/ui/ButtonLink.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import classes from '#web/ui/page.module.css';

/** What the member keeps; nobody else sees any of it. */
export function BookmarksPage() {
  const { list = null, q = '' } = useSearch({ from: '/member/bookmarks' });
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
        // With the lists above it, or else it would move when they come.
        <BookmarkSkeletons withLists />
      ) : hasStatus(bookmarks.error, 404) ? (
        <EmptyState title={t`This list is gone`} text={t`Its bookmarks are among all bookmarks.`}>
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
        text={t`Your notes and the titles of what you keep are looked at.`}
      >
        <ButtonLink href={paths.bookmarks}>{t`Show all bookmarks`}</ButtonLink>
      </EmptyState>
    );
  if (listed)
    return (
      <EmptyState title={t`Nothing in this list yet`} text={t`“Choose lists” on a bookmark puts it here.`}>
        <ButtonLink href={paths.bookmarks}>{t`Show all bookmarks`}</ButtonLink>
      </EmptyState>
    );
  return (
    <EmptyState
      title={t`No bookmarks yet`}
      text={t`“Bookmark” on a question or an answer keeps it here, with a note for yourself. Nobody else sees it.`}
    >
      <ButtonLink href={paths.home}>{t`Find something to keep`}</ButtonLink>
    </EmptyState>
  );
}
