import { answerSort } from '#shared/answers.ts';
import { feed } from '#shared/feeds.ts';
import { topicSort } from '#shared/topics.ts';

/** What the browser needs to show a page: the address of each reading as the browser part asks for it. */
export type FirstNeeds = {
  /** The page's own program below src/web; absent where it is part of the one that all pages begin with. */
  program?: string;
  reads: readonly string[];
};

/** Around every page for members: who is signed in, and the bell. */
const always = ['/api/session', '/api/notifications'];

type Page = {
  path: RegExp;
  program?: string;
  /** @param named what the brackets of `path` hold, as it stands in the address. */
  reads?: (query: URLSearchParams, named: string) => readonly string[];
};

/** The pages as src/web/router.tsx has them. One that is not here asks for what it shows by itself. */
const pages: readonly Page[] = [
  {
    path: /^\/$/u,
    reads: (query) => [`/api/feeds/${oneOf(feed.options, query.get('tab'), 'recent')}?muted=${muted(query)}`],
  },
  {
    path: /^\/question\/([1-9]\d{0,15})$/u,
    program: 'pages/question.tsx',
    reads: (query, id) => [
      `/api/questions/${id}?sort=${oneOf(answerSort.options, query.get('sort'), 'newest')}`,
    ],
  },
  {
    path: /^\/topics$/u,
    program: 'pages/topics.tsx',
    reads: (query) =>
      query.has('q') ? [] : [`/api/topics?q=&sort=${oneOf(topicSort.options, query.get('sort'), 'popular')}`],
  },
  {
    path: /^\/topics\/([\w.%~-]+)$/u,
    program: 'pages/topic.tsx',
    reads: (_, tag) => [`/api/topics/${tag}`, `/api/topics/${tag}/questions`],
  },
  {
    path: /^\/following$/u,
    program: 'pages/following.tsx',
    reads: (query) =>
      query.has('tab') ? [] : ['/api/following', `/api/following/questions?muted=${muted(query)}`],
  },
  { path: /^\/notifications$/u, program: 'pages/notifications.tsx' },
  { path: /^\/profile(\/\d+)?$/u, program: 'pages/profile.tsx' },
  { path: /^\/ask$/u, program: 'pages/ask.tsx' },
  { path: /^\/search$/u, program: 'pages/search.tsx' },
  { path: /^\/drafts$/u, program: 'pages/drafts.tsx' },
  { path: /^\/bookmarks$/u, program: 'pages/bookmarks.tsx' },
  { path: /^\/settings$/u, program: 'pages/settings.tsx' },
];

/** The programs of all pages that have one of their own. */
export const pagePrograms = pages.flatMap(({ program }) => program ?? []);

export function firstNeedsOf({ pathname, searchParams }: URL): FirstNeeds {
  for (const { path, program, reads } of pages) {
    const found = path.exec(pathname);
    if (found === null) continue;
    const own = reads?.(searchParams, found[1] ?? '') ?? [];
    return { ...(program !== undefined && { program }), reads: [...always, ...own] };
  }
  return { reads: always };
}

function muted(query: URLSearchParams): string {
  return query.get('muted') === 'show' ? 'show' : 'hide';
}

function oneOf<T extends string>(known: readonly T[], wanted: string | null, otherwise: T): T {
  return known.find((each) => each === wanted) ?? otherwise;
}
