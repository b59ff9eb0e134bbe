import { answerSort } from '#shared/posts/answers.ts';
import { feed } from '#shared/discovery/feeds.ts';
import { tagSort } from '#shared/discovery/tags.ts';

/** What the browser needs to show a page: the address of each reading as the browser part asks for it. */
export type PagePreloads = {
  /** The page's own program below src/web; absent where it is part of the one that all pages begin with. */
  module?: string;
  requests: readonly string[];
};

/** Around every page for members: who is signed in, and the bell. */
const always = ['/api/session', '/api/notifications'];

type PageRule = {
  path: RegExp;
  module?: string;
  /** @param named what the brackets of `path` hold, as it stands in the address. */
  requests?: (query: URLSearchParams, named: string) => readonly string[];
};

/** The pages as src/web/app/router.tsx has them. One that is not here asks for what it shows by itself. */
const pageRules: readonly PageRule[] = [
  {
    path: /^\/$/u,
    requests: (query) => [
      `/api/feeds/${parseOption(feed.options, query.get('tab'), 'recent')}?muted=${muted(query)}`,
    ],
  },
  {
    path: /^\/question\/([1-9]\d{0,15})$/u,
    module: 'app/question-page/QuestionPage.tsx',
    requests: (query, id) => [
      `/api/questions/${id}?sort=${parseOption(answerSort.options, query.get('sort'), 'newest')}`,
    ],
  },
  {
    path: /^\/topics$/u,
    module: 'discovery/tags/TagsPage.tsx',
    requests: (query) =>
      query.has('q')
        ? []
        : [`/api/topics?q=&sort=${parseOption(tagSort.options, query.get('sort'), 'popular')}`],
  },
  {
    path: /^\/topics\/([\w.%~-]+)$/u,
    module: 'discovery/tags/TagPage.tsx',
    requests: (_, tag) => [`/api/topics/${tag}`, `/api/topics/${tag}/questions`],
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

/** The programs of all pages that have one of their own. */
export const pageModules = pageRules.flatMap(({ module }) => module ?? []);

export function getPagePreloads({ pathname, searchParams }: URL): PagePreloads {
  for (const { path, module, requests } of pageRules) {
    const found = path.exec(pathname);
    if (found === null) continue;
    const own = requests?.(searchParams, found[1] ?? '') ?? [];
    return { ...(module !== undefined && { module }), requests: [...always, ...own] };
  }
  return { requests: always };
}

function muted(query: URLSearchParams): string {
  return query.get('muted') === 'show' ? 'show' : 'hide';
}

function parseOption<T extends string>(known: readonly T[], wanted: string | null, otherwise: T): T {
  return known.find((each) => each === wanted) ?? otherwise;
}
