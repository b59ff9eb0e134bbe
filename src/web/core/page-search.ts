import type { Feed } from '#shared/discovery/feeds.ts';
import type { SearchKind, SearchSort } from '#shared/discovery/search.ts';
import type { TagSort } from '#shared/discovery/tags.ts';
import { parseAfter, parseInternalPath } from './paths.ts';

// The parameters in the addresses of pages that load data ahead; other pages have their own. Invalid values are ignored.

/** The value if it is one of the allowed. */
export const oneOf = <const Allowed extends string>(value: unknown, ...allowed: readonly Allowed[]) =>
  allowed.find((each) => each === value);

/** 'recent' is the tab of an address without one. */
export const parseHomeSearch = ({
  tab,
  muted,
  after,
}: Record<string, unknown>): {
  tab?: Exclude<Feed, 'recent'> | undefined;
  muted?: 'show' | undefined;
  after?: string | undefined;
} => ({
  tab: oneOf(tab, 'popular', 'unanswered'),
  muted: oneOf(muted, 'show'),
  after: parseAfter(after),
});

/** 'popular' is the order of an address without one. */
export const parseTagsSearch = ({
  q,
  sort,
  after,
}: Record<string, unknown>): {
  q?: string | undefined;
  sort?: Exclude<TagSort, 'popular'> | undefined;
  after?: string | undefined;
} => ({
  after: parseAfter(after),
  q: typeof q === 'string' && q.trim() !== '' ? q : undefined,
  sort: oneOf(sort, 'alphabetical', 'active'),
});

/** Questions by relevance are the default of an address without kind and sort. */
export const parseResultsSearch = (
  search: Record<string, unknown>,
): {
  q?: string | undefined;
  in?: Exclude<SearchKind, 'questions'> | undefined;
  sort?: Exclude<SearchSort, 'relevance'> | undefined;
  after?: string | undefined;
} => ({
  after: parseAfter(search['after']),
  q: typeof search['q'] === 'string' ? search['q'] : undefined,
  in: oneOf(search['in'], 'answers', 'users'),
  sort: oneOf(search['sort'], 'recent', 'popular'),
});

/** The questions are the default of an address without a tab. */
export const parseProfileSearch = ({
  tab,
  after,
}: Record<string, unknown>): { tab?: 'answers' | undefined; after?: string | undefined } => ({
  tab: oneOf(tab, 'answers'),
  after: parseAfter(after),
});

/** `next`: the page to open after a sign-in. */
export const parseVisitorSearch = ({ next }: Record<string, unknown>): { next: string | undefined } => ({
  next: parseInternalPath(typeof next === 'string' ? next : undefined) ?? undefined,
});
