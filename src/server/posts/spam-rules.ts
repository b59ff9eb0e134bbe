import { domainToASCII } from 'node:url';
import type { SiteSettings } from '#server/core/site-settings.ts';
import type { MatchedRule } from '#shared/moderation/spam.ts';

/** A post or an edit, with what the rules need to know about its author. */
export type JudgedPost = {
  text: string;
  /** The text before an edit, null for a new post. What was in it is not held against the edit. */
  before: string | null;
  publicUrl: string | null;
  /** Other visible posts of the author in the minutes of the setting `newMemberPostsMinutes`. */
  recentPosts: number;
};

/**
 * Returns the spam rules that a post of a new member matches (docs/product.md 14.12). It only reads its parameters, so
 * that other parts can ask before a post is stored.
 */
export function judgePost(post: JudgedPost, settings: Pick<SiteSettings, 'get'>): { reasons: MatchedRule[] } {
  const before = post.before ?? '';
  const words = added(post.text, before, (text) => findWords(text, settings.get('blockedWords')));
  const domains = added(post.text, before, (text) =>
    findBlockedDomains(text, settings.get('blockedDomains')),
  );
  const links = new Set(findLinks(post.text, post.publicUrl).map(({ link }) => link)).size;
  const hasNewLink = added(post.text, before, (text) =>
    findLinks(text, post.publicUrl).map(({ link }) => link),
  );
  const maxLinks = settings.get('newMemberLinks');
  const maxPosts = settings.get('newMemberPosts');
  const isTooFast = post.before === null && maxPosts > 0 && post.recentPosts + 1 > maxPosts;
  return {
    reasons: [
      ...words.map((value) => ({ rule: 'word' as const, value })),
      ...domains.map((value) => ({ rule: 'domain' as const, value })),
      ...(maxLinks > 0 && links > maxLinks && hasNewLink.length > 0
        ? [{ rule: 'links' as const, value: String(links) }]
        : []),
      ...(isTooFast ? [{ rule: 'speed' as const, value: String(post.recentPosts + 1) }] : []),
    ].slice(0, maxReasons),
  };
}

/** Reasons that are stored of one post. */
const maxReasons = 10;

/** What `find` finds in a text, but not in the text before. */
function added(text: string, before: string, find: (text: string) => readonly string[]): string[] {
  const earlier = new Set(before === '' ? [] : find(before));
  return [...new Set(find(text))].filter((each) => !earlier.has(each));
}

/** A link in a text: its address and its host in lower case, as URLs write it (punycode). */
export type Link = { link: string; host: string };

/** Links in a text that lead to other sites, also in code and without Markdown: spam is written in any way. */
export function findLinks(text: string, publicUrl: string | null): Link[] {
  const site = publicUrl === null ? null : new URL(publicUrl).host.toLowerCase();
  const found = text.matchAll(/(?:https?:\/\/|\bwww\.)([^\s/()<>[\]"'`?#]+)[^\s()<>[\]"'`]*/giu);
  return [...found]
    .filter(([, host]) => host?.toLowerCase() !== site)
    .map(([link, host = '']) => ({ link, host: readHost(link.startsWith('http') ? host : `www.${host}`) }));
}

/** The host without user name and port. */
function readHost(host: string): string {
  const name = host.slice(host.lastIndexOf('@') + 1).replace(/:\d*$/u, '');
  return domainToASCII(name) || name.toLowerCase();
}

/** The blocked domains that a text names with or without a link, also by a subdomain. */
function findBlockedDomains(text: string, blocked: readonly string[]): string[] {
  if (blocked.length === 0) return [];
  const named = new Set(
    toComparable(text)
      .split(/[^\p{L}\p{N}.-]+/u)
      .flatMap(listDomains),
  );
  return blocked.filter((domain) => named.has(domain));
}

/** A host name and the domains that it is in, except for a top-level domain. */
function listDomains(name: string): string[] {
  if (!name.includes('.')) return [];
  const trimmed = name.replace(/^[.-]+|[.-]+$/gu, '').slice(-maxHostLength);
  const labels = (domainToASCII(trimmed) || trimmed).split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

/** Characters (RFC 1035). */
const maxHostLength = 253;

/** The blocked words and phrases of a text, without case, as whole words where words are written apart. */
function findWords(text: string, blocked: readonly string[]): string[] {
  if (blocked.length === 0) return [];
  const content = toComparable(text);
  return blocked.filter((word) => hasWord(content, toComparable(word).trim()));
}

function hasWord(content: string, word: string): boolean {
  if (word === '') return false;
  for (let at = content.indexOf(word); at !== -1; at = content.indexOf(word, at + 1)) {
    const end = at + word.length;
    const before = content.slice(Math.max(0, at - 2), at);
    if (!continuesWord(before, word) && !continuesWord(word, content.slice(end, end + 2))) return true;
  }
  return false;
}

/** Whether two neighbouring texts meet inside of a word. Chinese, Japanese and Thai put no spaces between words. */
function continuesWord(left: string, right: string): boolean {
  const last = /[\p{L}\p{M}\p{N}]$/u.exec(left)?.[0] ?? '';
  const first = /^[\p{L}\p{M}\p{N}]/u.exec(right)?.[0] ?? '';
  return last !== '' && first !== '' && !unspaced.test(last + first);
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Without case, letter variants, invisible characters and different spaces, which spam uses to avoid filters. */
const toComparable = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/gu, ' ');
