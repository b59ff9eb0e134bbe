import { answerSort } from '#shared/posts/answers.ts';
import { searchKind, searchSort } from '#shared/discovery/search.ts';
import { getSearchKind, parseSearch } from '#shared/discovery/search-query.ts';
import { feed } from '#shared/discovery/feeds.ts';
import { tagSort } from '#shared/discovery/tags.ts';
import { isAskPath } from '#shared/identity/next-page.ts';

/** What the browser needs to show a page: the API requests, with the same URLs as in the web app. */
export type PagePreloads = {
  /** Module of the page below src/web; absent if it is part of the main bundle. */
  module?: string;
  /** Module of its layout, if that is not part of `module` or the main bundle. */
  layout?: string;
  requests: readonly string[];
  /** The address as it is rendered: '/question/7?sort=newest'. */
  path: string;
  /** The request whose response says whether the page exists: a question, a tag or a member. */
  subject?: string;
  /** The web app has no page at this address. */
  isUnknown?: true;
  /** Visitors may read the page also without public reading. */
  isOpen?: true;
  /** Members are redirected from it. */
  isForVisitors?: true;
  /** No cache stores the page. */
  isUncached?: true;
  /** Whether the server renders the page; otherwise the browser does. */
  isRendered: boolean;
};

/** Visitors have no notifications. */
export const notifications = '/api/notifications';

const announcements = '/api/announcements';

/** Requests of every page for members: the session and the notifications. */
const always = ['/api/session', notifications];

type PageRule = {
  path: RegExp;
  module?: string;
  layout?: string;
  /** Whether the first of `requests` is the page's subject. */
  hasSubject?: true;
  isOpen?: true;
  isForVisitors?: true;
  isUncached?: true;
  isRendered?: true;
  /** The address as it is rendered, if that is another one. */
  renderAs?: (query: URLSearchParams) => string;
  /** @param named what the group of `path` matches in the URL */
  requests?: (query: URLSearchParams, named: string) => readonly string[];
};

/** Pages for everyone, which show changes of the site at once. */
const openForm = { isOpen: true, isUncached: true, isRendered: true } as const;

/**
 * A page to sign in. `next` is where the visitor goes after that. It would need a rendering for each address, so that
 * the page gets it after hydration (src/web/identity/next-page.ts), except for the ask form, which it mentions.
 */
const signInPage = (path: string) => ({
  ...openForm,
  layout: 'ui/VisitorFrame.tsx',
  isForVisitors: true as const,
  renderAs: (query: URLSearchParams) => (isAskPath(query.get('next')) ? `${path}?next=%2Fask` : path),
});

/**
 * A page for a link in an email. It is rendered with a placeholder for the token, which stays out of HTML, caches and
 * logs.
 */
const emailLinkPage = { ...openForm, module: 'identity/EmailLinkPages.tsx' } as const;

/** The pages of src/web/app/routes.ts. A page without `requests` requests its data itself. */
const pageRules: readonly PageRule[] = [
  {
    path: /^\/$/u,
    module: 'discovery/feeds/HomePage.tsx',
    isRendered: true,
    requests: (query) => {
      const path = `feeds/${parseOption(feed.options, query.get('tab'), 'recent')}`;
      const { only, more } = cursor(query);
      return [`/api/${path}${only}`, `/api/viewer/${path}?muted=${muted(query)}${more}`, announcements];
    },
  },
  {
    path: /^\/question\/([1-9]\d{0,15})(?:\/[^/]*)?$/u,
    hasSubject: true,
    isRendered: true,
    requests: (query, id) => {
      const sort = parseOption(answerSort.options, query.get('sort'), 'newest');
      return withViewer(`questions/${id}?sort=${sort}${cursor(query, 'after').more}`);
    },
  },
  {
    path: /^\/topics$/u,
    module: 'discovery/tags/TagsPage.tsx',
    isRendered: true,
    requests: (query) =>
      query.has('q')
        ? []
        : withViewer(
            `tags?sort=${parseOption(tagSort.options, query.get('sort'), 'popular')}${cursor(query).more}`,
          ),
  },
  {
    path: /^\/topics\/([^/]+)$/u,
    module: 'discovery/tags/TagPage.tsx',
    hasSubject: true,
    isRendered: true,
    requests: (query, encoded) => {
      const tag = encodeURIComponent(decode(encoded));
      return [
        ...withViewer(`tags/${tag}`),
        ...withViewer(`tags/${tag}/questions${cursor(query).only}`),
        `${announcements}?${new URLSearchParams({ tag: decode(encoded) }).toString()}`,
      ];
    },
  },
  {
    path: /^\/following$/u,
    module: 'discovery/following/FollowingPage.tsx',
    requests: (query) =>
      query.has('tab') ? [] : ['/api/following', `/api/following/questions?muted=${muted(query)}`],
  },
  { path: /^\/notifications$/u, module: 'notifications/NotificationsPage.tsx' },
  { path: /^\/profile$/u, module: 'identity/ProfilePage.tsx' },
  {
    path: /^\/profile\/([1-9]\d{0,15})$/u,
    module: 'identity/ProfilePage.tsx',
    hasSubject: true,
    isRendered: true,
    requests: (query, id) => {
      const posts = query.get('tab') === 'answers' ? 'answers' : 'questions';
      return [
        `/api/members/${id}`,
        `/api/members/${id}/activity`,
        `/api/members/${id}/reputation`,
        `/api/members/${id}/${posts}${cursor(query).only}`,
      ];
    },
  },
  { path: /^\/ask$/u, module: 'posts/ask/AskPage.tsx' },
  {
    path: /^\/search$/u,
    module: 'discovery/search/SearchPage.tsx',
    isRendered: true,
    requests: (query) => {
      const q = query.get('q')?.trim() ?? '';
      if (q === '') return [];
      const wanted = new URLSearchParams({
        q,
        in: getSearchKind(parseSearch(q)) ?? parseOption(searchKind.options, query.get('in'), 'questions'),
        sort: parseOption(searchSort.options, query.get('sort'), 'relevance'),
      }).toString();
      return [`/api/search?${wanted}${cursor(query).more}`];
    },
  },
  {
    path: /^\/(about|rules|privacy)$/u,
    module: 'app/SitePage.tsx',
    hasSubject: true,
    isOpen: true,
    isRendered: true,
    requests: (_, name) => [`/api/site-pages/${name}`],
  },
  { path: /^\/drafts$/u, module: 'posts/drafts/DraftsPage.tsx' },
  { path: /^\/removed-posts$/u, module: 'moderation/RemovedPostsPage.tsx' },
  { path: /^\/suggested-edits$/u, module: 'moderation/SuggestedEditsPage.tsx' },
  { path: /^\/bookmarks$/u, module: 'engagement/BookmarksPage.tsx' },
  { path: /^\/settings$/u, module: 'identity/SettingsPage.tsx' },
  {
    path: /^\/moderation(\/log|\/registrations|\/announcements|\/members|\/applications|\/claims|\/member\/\d+|\/tags\/[^/]+)?$/u,
  },
  { path: /^\/claim-profile\/\d+$/u },
  { path: /^\/admin\/(settings|statistics|invitations|emails|sign-in|webhooks|service-accounts|widget)$/u },
  {
    ...signInPage('/login'),
    path: /^\/login$/u,
    module: 'identity/LoginPage.tsx',
    requests: () => ['/api/sign-in', '/api/setup'],
  },
  {
    ...signInPage('/register'),
    path: /^\/register$/u,
    module: 'identity/RegisterPage.tsx',
    requests: () => ['/api/sign-in'],
  },
  {
    ...signInPage('/forgot-password'),
    path: /^\/forgot-password$/u,
    module: 'identity/ForgotPasswordPage.tsx',
    requests: () => ['/api/password-resets'],
  },
  { path: /^\/application$/u },
  {
    ...openForm,
    path: /^\/setup$/u,
    module: 'admin/SetupPage.tsx',
    requests: () => ['/api/setup'],
  },
  { ...openForm, path: /^\/reset-password$/u, module: 'identity/ResetPasswordPage.tsx' },
  { ...emailLinkPage, path: /^\/(change-email|revert-email)$/u },
  { ...emailLinkPage, path: /^\/unsubscribe\/[^/]+$/u, renderAs: () => '/unsubscribe/-' },
  { ...emailLinkPage, path: /^\/confirm-email\/[^/]+$/u, renderAs: () => '/confirm-email/-' },
  { path: /^\/sign-in\/callback(?:\/[a-z\d-]+)?$/u },
];

/** The modules of all pages that have one. */
export const pageModules = pageRules.flatMap(({ module, layout }) => [module ?? [], layout ?? []].flat());

export function getPagePreloads({ pathname, searchParams }: URL): PagePreloads {
  // The router of the web app ignores a slash at the end.
  const page = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  for (const rule of pageRules) {
    const match = rule.path.exec(page);
    // As in the router of the web app. With a subject, the API decides; a question redirects to its readable title.
    if (match === null || (rule.hasSubject !== true && !isDecodable(page))) continue;
    const { module, layout, isOpen, isForVisitors, isUncached } = rule;
    const own = rule.requests?.(searchParams, match[1] ?? '') ?? [];
    const [subject] = rule.hasSubject === true ? own : [];
    return {
      ...(module !== undefined && { module }),
      ...(layout !== undefined && { layout }),
      requests: [...always, ...own],
      path: rule.renderAs?.(searchParams) ?? pathname + pickKnown(searchParams),
      // A page with requests for some addresses only, such as a search without words, is rendered for those.
      isRendered: rule.isRendered === true && (own.length > 0 || rule.requests === undefined),
      ...(subject !== undefined && { subject }),
      ...(isOpen === true && { isOpen }),
      ...(isForVisitors === true && { isForVisitors }),
      ...(isUncached === true && { isUncached }),
    };
  }
  return { requests: always, path: pathname + pickKnown(searchParams), isRendered: false, isUnknown: true };
}

/** The parameters of rendered pages. Others would make a rendering of their own for the same page. */
const known = new Set(['tab', 'muted', 'sort', 'after', 'q', 'in']);

function pickKnown(query: URLSearchParams): string {
  const picked = new URLSearchParams([...query].filter(([name]) => known.has(name))).toString();
  return picked === '' ? '' : `?${picked}`;
}

/** Text that is not percent-encoded UTF-8 stays as it is: no tag has such a name. */
function decode(encoded: string): string {
  return isDecodable(encoded) ? decodeURIComponent(encoded) : encoded;
}

export function isDecodable(encoded: string): boolean {
  try {
    decodeURIComponent(encoded);
    return true;
  } catch {
    return false;
  }
}

/** The position of the page's list, as the only parameter of a request or as a further one. */
function cursor(query: URLSearchParams, name = 'cursor'): { only: string; more: string } {
  const after = query.get('after') ?? '';
  const parameter = /^[\w-]{1,200}$/u.test(after) ? `${name}=${after}` : '';
  return parameter === '' ? { only: '', more: '' } : { only: `?${parameter}`, more: `&${parameter}` };
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
