const pagePaths = {
  home: '/',
  ask: '/ask',
  tags: '/topics',
  following: '/following',
  profile: '/profile',
  search: '/search',
  notifications: '/notifications',
  drafts: '/drafts',
  settings: '/settings',
  accountSettings: '/settings?tab=account',
  bookmarks: '/bookmarks',
  suggestedEdits: '/suggested-edits',
  removedPosts: '/removed-posts',
  moderation: '/moderation',
  moderationLog: '/moderation/log',
  registrations: '/moderation/registrations',
  announcements: '/moderation/announcements',
  members: '/moderation/members',
  applications: '/moderation/applications',
  claims: '/moderation/claims',
  siteSettings: '/admin/settings',
  statistics: '/admin/statistics',
  invitations: '/admin/invitations',
  emails: '/admin/emails',
  signInProviders: '/admin/sign-in',
  webhooks: '/admin/webhooks',
  widget: '/admin/widget',
  application: '/application',
  forgotPassword: '/forgot-password',
  login: '/login',
  register: '/register',
};

/** The paths of the pages, as `string`: the router's types accept a literal only if its route exists. */
export const paths: Readonly<Record<keyof typeof pagePaths, string>> = pagePaths;

/** Whether visitors may read the page while public reading is on. The server decides what they get. */
export function isPublicPath(path: string): boolean {
  return /^\/(?:$|question\/|topics(?:\/|$)|profile\/|search$|(?:about|rules|privacy)$)/u.test(path);
}

export function profilePath(id: number): string {
  return `${paths.profile}/${id}`;
}

/** Where a member claims an imported profile. */
export function claimProfilePath(id: number): string {
  return `/claim-profile/${id}`;
}

/** Browsers treat these names as path segments, even if they are encoded. */
export const isDotSegment = (tag: string) => tag === '.' || tag === '..';

/** The page of a tag; of one that cannot have an address, the search for it. */
export function tagPath(tag: string): string {
  return isDotSegment(tag) ? `${paths.search}?q=${tag}` : `${paths.tags}/${encodeURIComponent(tag)}`;
}

/** Where moderators change a tag. */
export function managedTagPath(tag: string): string {
  return `${paths.moderation}/tags/${encodeURIComponent(tag)}`;
}

/** Where moderators see everything about a member. */
export function moderatedMemberPath(id: number): string {
  return `${paths.moderation}/member/${id}`;
}

let siteOrigin = globalThis.location?.origin ?? '';

/** The scheme and host of this site: 'https://ask.example.org'. */
export function getSiteOrigin(): string {
  return siteOrigin;
}

/** On the server: the origin of the page that is rendered next. */
export function setSiteOrigin(origin: string): void {
  siteOrigin = origin;
}

/** Accepts only paths on this server, as the target after a sign-in. Null for anything else. */
export function parseInternalPath(path: string | undefined): string | null {
  if (path === undefined || !path.startsWith('/')) return null;
  const url = URL.parse(path, siteOrigin);
  if (url === null || url.origin !== siteOrigin || url.pathname.startsWith('//')) return null;
  return url.pathname + url.search + url.hash;
}

/** The id in the address of a question; null if it is invalid. */
export function parseQuestionId(text: string): number | null {
  return /^[1-9]\d{0,15}$/u.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;
}

/** Paths with the same result are of the same page: the readable part of a question's address does not matter. */
export function getPageKey(pathname: string): string {
  return /^\/question\/\d+(?=\/|$)/u.exec(pathname)?.[0] ?? pathname;
}

/** The position of a list in an address (`?after=`): a cursor of the API. Undefined for anything else. */
export function parseAfter(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w-]{1,200}$/u.test(value) ? value : undefined;
}

/** Parses a query string that people can read and write by hand: plain text, no JSON, absent instead of empty. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' || typeof value === 'number') params.set(name, String(value));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
