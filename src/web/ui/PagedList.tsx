import { t } from '@lingui/core/macro';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '#web/core/errors.ts';
import { fetchNextPage } from '#web/core/query-helpers.ts';
import { FirstPageLink } from './FirstPageLink.tsx';
import { useNextPageAddress } from './list-address.ts';
import { LoadMore } from './LoadMore.tsx';
import { LoadError } from './LoadError.tsx';

const loadErrors = {
  questions: () => t`The questions could not be loaded.`,
  bookmarks: () => t`The bookmarks could not be loaded.`,
  answers: () => t`The answers could not be loaded.`,
  tags: () => t`The topics could not be loaded.`,
  results: () => t`The results could not be loaded.`,
  notifications: () => t`The notifications could not be loaded.`,
  versions: () => t`The earlier versions could not be loaded.`,
};
const loadMoreErrors: Record<keyof typeof loadErrors, () => string> = {
  questions: () => t`More questions could not be loaded.`,
  bookmarks: () => t`More bookmarks could not be loaded.`,
  answers: () => t`More answers could not be loaded.`,
  tags: () => t`More topics could not be loaded.`,
  results: () => t`More results could not be loaded.`,
  notifications: () => t`More notifications could not be loaded.`,
  versions: () => t`More versions could not be loaded.`,
};

/** A list with 'Load more', including its loading, empty and error states. */
export function PagedList<Item>({
  query,
  hasAddresses = false,
  noun,
  keyOf,
  pending,
  empty,
  children,
}: {
  query: UseInfiniteQueryResult<InfiniteData<{ items: readonly Item[]; nextCursor?: string | null }>>;
  /** Whether the address of the page can begin the list later, at `after`. */
  hasAddresses?: boolean;
  /** The kind of items, for the messages. */
  noun: keyof typeof loadErrors;
  keyOf: (item: Item) => string | number;
  pending: ReactNode;
  empty: ReactNode;
  children: (items: readonly Item[]) => ReactNode;
}) {
  const nextPage = useNextPageAddress(query.data?.pages.at(-1)?.nextCursor ?? null);
  if (query.isPending) return pending;
  if (query.data === undefined) return <LoadError text={loadErrors[noun]()} query={query} />;

  const items = removeDuplicates(
    query.data.pages.flatMap((page) => page.items),
    keyOf,
  );
  return (
    <>
      {hasAddresses && <FirstPageLink />}
      {items.length === 0 ? empty : children(items)}
      {query.hasNextPage && (
        <LoadMore
          name={t`Load more`}
          failure={query.isFetchNextPageError ? `${loadMoreErrors[noun]()} ${getReason(query.error)}` : null}
          isLoading={query.isFetchingNextPage}
          href={hasAddresses ? nextPage : undefined}
          load={() => void fetchNextPage(query)}
        />
      )}
    </>
  );
}

/** An item can move between two pages while they load, so both may contain it. */
function removeDuplicates<Item>(items: readonly Item[], keyOf: (item: Item) => string | number): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

function getReason(error: Error | null): string {
  return error instanceof ApiError ? error.message : '';
}
