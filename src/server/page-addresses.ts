import type { QuestionDocument } from '#shared/posts/questions-document.ts';
import type { Language } from '#shared/core/languages.ts';
import { tagKey } from '#shared/core/text.ts';
import type { Profile } from '#shared/identity/profiles.ts';
import type { TagDocument } from '#shared/discovery/tags.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import type { Reader } from './core/database.ts';
import { translate, translateError } from './notifications/index.ts';
import { isDecodable, type PagePreloads } from './page-preloads.ts';
import { findQuestionOf, isQuestionDeleted } from './posts/index.ts';

/** The status of a page's response, or the address that it redirects to permanently. */
export type PageTarget = { status: 200 | 404 | 410 } | { location: string };

/** A response of the API to a request of the page. */
export type PageResponse = { url: string; status: number; body: string };

/**
 * Decides the status of a page that its viewer may read (docs/product.md 20.2): 404 if there is no such question, tag or
 * member, or no page at the address, and 410 if the question was deleted. A hidden question is not found, as one that
 * never existed. A question's page redirects to the address with its readable title, or to its first answers if they do
 * not begin where the address says; that of a synonym to its tag.
 */
export async function resolvePage(
  db: Reader,
  url: URL,
  {
    subject,
    isUnknown,
    hasArchiveAddresses,
  }: Pick<PagePreloads, 'subject' | 'isUnknown'> & { hasArchiveAddresses: boolean },
  responses: readonly PageResponse[],
): Promise<PageTarget> {
  if (isUnknown === true) {
    const location = hasArchiveAddresses ? await findArchivedPage(db, url.pathname) : null;
    return location === null ? { status: 404 } : { location };
  }
  const response = responses.find((each) => each.url === subject);
  const questionId = /^\/question\/(\d+)/u.exec(url.pathname)?.[1];
  const { after, ...query } = Object.fromEntries(url.searchParams);
  // Answers do not begin there: the address was cut off, for example.
  if (response?.status === 400 && after !== undefined)
    return {
      location:
        url.pathname + (Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query).toString()}`),
    };
  // 400: no id or name can be like this.
  if (response?.status === 404 || response?.status === 400) {
    const isDeleted = questionId !== undefined && (await isQuestionDeleted(db, Number(questionId)));
    return { status: isDeleted ? 410 : 404 };
  }
  if (response?.status === 200 && url.pathname.startsWith('/topics/')) return resolveTagPage(url, response);
  if (response?.status === 200 && url.pathname.startsWith('/profile/')) return resolveProfile(url, response);
  // Without the question, as under overload, the browser requests it itself.
  if (response?.status !== 200 || questionId === undefined) return { status: 200 };
  const { question } = JSON.parse(response.body) as QuestionDocument;
  const canonical = questionPath(question.id, question.title);
  return isSamePath(url.pathname, canonical) ? { status: 200 } : { location: canonical + url.search };
}

/** The title of a page that is not found, as the web app shows it. */
export function getNotFoundTitle(pathname: string, language: Language): string {
  const address = pathname.replace(/\/+$/u, '');
  const [, code] = notFoundErrors.find(([pattern]) => pattern.test(address)) ?? [];
  return code === undefined || !isDecodable(address)
    ? translate(language, 'page.not-found')
    : translateError(language, { code });
}

const notFoundErrors = [
  [/^\/question\/[^/]+(?:\/[^/]+)?$/u, 'question-not-found'],
  [/^\/topics\/[^/]+$/u, 'tag-not-found'],
  [/^\/profile\/[^/]+$/u, 'user-not-found'],
] as const;

/**
 * The page of what an export like an archive of Stack Exchange names (docs/exporting.md). The addresses are those of Stack
 * Exchange, to which communities that imported the archive link as the source.
 */
async function findArchivedPage(db: Reader, pathname: string): Promise<string | null> {
  const tag = /^\/tags\/([^/]+)\/info$/u.exec(pathname)?.[1];
  if (tag !== undefined) return `/topics/${tag}`;
  const [, kind, digits] = /^\/(questions|a|posts\/comments|users)\/([1-9]\d{0,14})$/u.exec(pathname) ?? [];
  if (kind === undefined) return null;
  const number = Number(digits);
  if (kind === 'users') return `/profile/${number}`;
  if (kind === 'questions') return number % 2 === 0 ? questionPath(number / 2) : null;
  if (kind === 'a' && number % 2 === 0) return null;
  const post =
    kind === 'a' ? { kind: 'answer' as const, id: (number - 1) / 2 } : { kind: 'reply' as const, id: number };
  const questionId = await findQuestionOf(db, post);
  return questionId === null ? null : `${questionPath(questionId)}#${post.kind}-${post.id}`;
}

/** The address of a synonym redirects to its tag. The case of the name does not matter. */
function resolveTagPage(url: URL, { body }: PageResponse): PageTarget {
  const { name } = JSON.parse(body) as TagDocument;
  const canonical = `/topics/${encodeURIComponent(name)}`;
  const isSame = isSamePath(url.pathname.replace(/\/$/u, ''), canonical, tagKey);
  return isSame ? { status: 200 } : { location: canonical + url.search };
}

/** The address of a merged account redirects to the account that it was merged into. */
function resolveProfile(url: URL, { body }: PageResponse): PageTarget {
  const { id } = JSON.parse(body) as Profile;
  const asked = /^\/profile\/(\d+)\/?$/u.exec(url.pathname)?.[1];
  return asked === undefined || Number(asked) === id
    ? { status: 200 }
    : { location: `/profile/${id}${url.search}` };
}

/** Compares decoded paths: proxies and people encode them differently. */
function isSamePath(
  pathname: string,
  canonical: string,
  keyOf = (path: string) => path.normalize('NFC'),
): boolean {
  try {
    return keyOf(decodeURIComponent(pathname)) === keyOf(decodeURIComponent(canonical));
  } catch {
    return false;
  }
}
