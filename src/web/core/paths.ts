/**
 * Where things are. `string`, not literals: the router's types know a path only once its route exists, and a link is a
 * link before that.
 */
export const paths: Readonly<Record<PathName, string>> = {
  home: '/',
  ask: '/ask',
  topics: '/topics',
  following: '/following',
  profile: '/profile',
  search: '/search',
  notifications: '/notifications',
  drafts: '/drafts',
  settings: '/settings',
  accountSettings: '/settings?tab=account',
  bookmarks: '/bookmarks',
  care: '/care',
  careLog: '/care/log',
  registrations: '/moderation/registrations',
  login: '/login',
  register: '/register',
};
type PathName =
  | 'home'
  | 'ask'
  | 'topics'
  | 'following'
  | 'profile'
  | 'search'
  | 'notifications'
  | 'drafts'
  | 'settings'
  | 'accountSettings'
  | 'bookmarks'
  | 'care'
  | 'careLog'
  | 'registrations'
  | 'login'
  | 'register';

/** A member's profile. */
export function profilePath(id: number): string {
  return `${paths.profile}/${id}`;
}

export function questionPath(id: number): string {
  return `/question/${id}`;
}

/** An answer in its place on the question's page, marked there. */
export function answerPath({ questionId, id }: { questionId: number; id: number }): string {
  return `/question/${questionId}#answer-${id}`;
}

/** Only paths on this server: where a sign-in may lead back to. Anything else is null. */
export function parseInternalPath(path: string | undefined): string | null {
  if (path === undefined || !path.startsWith('/')) return null;
  const url = URL.parse(path, window.location.origin);
  if (url === null || url.origin !== window.location.origin) return null;
  return url.pathname + url.search + url.hash;
}

/** The number in the address of a question; null for what cannot be one. */
export function parseQuestionId(text: string): number | null {
  return /^[1-9]\d{0,15}$/u.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;
}

/** Addresses people can read and write by hand: plain texts, no JSON, absent instead of empty. */
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
