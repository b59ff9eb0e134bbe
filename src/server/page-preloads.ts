import { answerSort } from '#shared/posts/answers.ts';
import { feed } from '#shared/discovery/feeds.ts';
import { tagSort } from '#shared/discovery/tags.ts';

/** What the browser needs to show a page: the API requests, with the same URLs as in the web app. */
export type PagePreloads = {
  /** Module of the page below src/web; absent if it is part of the main bundle. */
  module?: string;
  requests: readonly string[];
};

/** Requests of every page for members: the session and the notifications. */
const always = ['/api/session', '/api/notifications'];

type PageRule = {
  path: RegExp;
  module?: string;
  /** @param named what the group of `path` matches in the URL */
  requests?: (query: URLSearchParams, named: string) => readonly string[];
};

/** The pages of src/web/app/router.tsx. A page that is not listed here requests its data itself. */
const pageRules: readonly PageRule[] = [
  {
    path: /^\/$/u,
    requests: (query) => {
      const path = `feeds/${parseOption(feed.options, query.get('tab'), 'recent')}`;
      return [`/api/${path}`, `/api/viewer/${path}?muted=${muted(query)}`];
    },
  },
  {
    path: /^\/question\/([1-9]\d{0,15})$/u,
    module: 'app/question-page/QuestionPage.tsx',
    requests: (query, id) =>
      withViewer(`questions/${id}?sort=${parseOption(answerSort.options, query.get('sort'), 'newest')}`),
  },
  {
    path: /^\/topics$/u,
    module: 'discovery/tags/TagsPage.tsx',
    requests: (query) =>
      query.has('q')
        ? []
        : withViewer(`tags?sort=${parseOption(tagSort.options, query.get('sort'), 'popular')}`),
  },
  {
    path: /^\/topics\/([\w.%~-]+)$/u,
    module: 'discovery/tags/TagPage.tsx',
    requests: (_, tag) => [...withViewer(`tags/${tag}`), ...withViewer(`tags/${tag}/questions`)],
  },
  {
    path: /^\/following$/u,
    module: 'discovery/following/FollowingPage.tsx',
    requests: (query) =>
      query.has('tab') ? [] : ['/api/following', `/api/following/questions?muted=${muted(query)}`],
  },
  { path: /^\/notifications$/u, module: 'notifications/NotificationsPage.tsx' },
  { path: /^\/profile(\/\d+)?$/u, module: 'identity/ProfilePage.tsx' },
  { path: /^\/ask$/u, module: 'posts/ask/AskPage.tsx' },
  { path: /^\/search$/u, module: 'discovery/search/SearchPage.tsx' },
  { path: /^\/drafts$/u, module: 'posts/drafts/DraftsPage.tsx' },
  { path: /^\/bookmarks$/u, module: 'engagement/BookmarksPage.tsx' },
  { path: /^\/settings$/u, module: 'identity/SettingsPage.tsx' },
];

/** The modules of all pages that have one. */
export const pageModules = pageRules.flatMap(({ module }) => module ?? []);

export function getPagePreloads({ pathname, searchParams }: URL): PagePreloads {
  for (const { path, module, requests } of pageRules) {
    const match = path.exec(pathname);
    if (match === null) continue;
    const own = requests?.(searchParams, match[1] ?? '') ?? [];
    return { ...(module !== undefined && { module }), requests: [...always, ...own] };
  }
  return { requests: always };
}

/** A document and what the viewer sees on it. */
function withViewer(path: string): string[] {
  return [`/api/${path}`, `/api/viewer/${path}`];
}

function muted(query: URLSearchParams): string {
  return query.get('muted') === 'show' ? 'show' : 'hide';
}

function parseOption<T extends string>(known: readonly T[], wanted: string | null, otherwise: T): T {
  return known.find((each) => each === wanted) ?? otherwise;
}
