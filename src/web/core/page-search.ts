import { isLanguage, type Language } from '#shared/core/languages.ts';
import type { StatisticsUnit } from '#shared/admin/statistics.ts';
import type { Feed } from '#shared/discovery/feeds.ts';
import type { SearchKind, SearchSort } from '#shared/discovery/search.ts';
import type { TagSort } from '#shared/discovery/tags.ts';
import { parseAfter, parseInternalPath } from './paths.ts';

// The parameters in the addresses of pages. Invalid values are ignored.

/** The value if it is one of the allowed. */
const oneOf = <const Allowed extends string>(value: unknown, ...allowed: readonly Allowed[]) =>
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

export const parseFollowingSearch = ({
  tab,
  muted,
}: Record<string, unknown>): {
  tab?: 'activity' | 'topics' | undefined;
  muted?: 'show' | undefined;
} => ({
  tab: oneOf(tab, 'activity', 'topics'),
  muted: oneOf(muted, 'show'),
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

/** All bookmarks are the default of an address without a list. */
export const parseBookmarksSearch = ({
  list,
  q,
}: Record<string, unknown>): { list?: number | undefined; q?: string | undefined } => ({
  list: /^[1-9]\d{0,14}$/u.test(String(list)) ? Number(list) : undefined,
  q: typeof q === 'string' && q.trim() !== '' ? q.trim() : undefined,
});

/** Weeks are the default of an address without a unit. */
export const parseStatisticsSearch = ({
  unit,
  tag,
  start,
}: Record<string, unknown>): {
  unit?: StatisticsUnit | undefined;
  tag?: string | undefined;
  start?: string | undefined;
} => ({
  unit: oneOf(unit, 'day', 'week', 'month'),
  tag: typeof tag === 'string' && tag !== '' ? tag : undefined,
  start: typeof start === 'string' ? start : undefined,
});

// Not that of the shared schema, which would load zod here. The page uses all of them, so the compiler finds a missing one.
const memberFilters = ['team', 'suspended', 'waiting', 'removed', 'profile_links'] as const;

/** All members are the default of an address without a filter. */
export const parseMembersSearch = ({
  q,
  show,
}: Record<string, unknown>): {
  q?: string | undefined;
  show?: (typeof memberFilters)[number] | undefined;
} => ({
  q: typeof q === 'string' && q.trim() !== '' ? q.trim() : undefined,
  show: oneOf(show, ...memberFilters),
});

const memberPageTabs = ['posts', 'reports', 'log', 'sign-ins', 'notes'] as const;

/** The account is the default of an address without a tab. */
export const parseMemberPageSearch = ({
  tab,
}: Record<string, unknown>): { tab?: (typeof memberPageTabs)[number] | undefined } => ({
  tab: oneOf(tab, ...memberPageTabs),
});

/** Without `language`, that of the interface. The page knows the kinds of emails: their schema would load zod here. */
export const parseEmailsSearch = ({
  kind,
  language,
}: Record<string, unknown>): { kind?: string | undefined; language?: Language | undefined } => ({
  kind: typeof kind === 'string' ? kind : undefined,
  language: typeof language === 'string' && isLanguage(language) ? language : undefined,
});

/** The questions are the default of an address without a tab. */
export const parseProfileSearch = ({
  tab,
  after,
}: Record<string, unknown>): { tab?: 'answers' | undefined; after?: string | undefined } => ({
  tab: oneOf(tab, 'answers'),
  after: parseAfter(after),
});

export const parseNotificationsSearch = ({
  tab,
}: Record<string, unknown>): { tab?: 'unread' | undefined } => ({
  tab: oneOf(tab, 'unread'),
});

export const parseSettingsSearch = ({ tab }: Record<string, unknown>): { tab?: 'account' | undefined } => ({
  tab: oneOf(tab, 'account'),
});

/** `next`: the page to open after a sign-in. */
export const parseVisitorSearch = ({ next }: Record<string, unknown>): { next: string | undefined } => ({
  next: parseInternalPath(typeof next === 'string' ? next : undefined) ?? undefined,
});
