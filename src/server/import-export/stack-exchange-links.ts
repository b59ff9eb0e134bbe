import { parse, postprocess, preprocess } from 'micromark';
import { gfm } from 'micromark-extension-gfm';
import { isCheapForMicromark } from './micromark-cost.ts';
import { canonicalHost } from './stack-exchange-site.ts';

/** A link to a post of the archive's site in a Markdown text. */
export interface PostLink {
  /** Where the address, or a link without a text, begins and ends. In UTF-16 units. */
  from: number;
  to: number;
  /** The address, if it is also what readers see of the link. */
  label: string | null;
  /** Numbers of posts in the archive, the best target first. */
  posts: number[];
  /** What to put before a relative address if none of the posts is here. Null: the address stays. */
  origin: string | null;
}

/** Whether a text may have a link to a post, without parsing it. */
export function mayLinkToPosts(markdown: string): boolean {
  return /\/(?:questions|q|a)\/\d/u.test(markdown);
}

/** Tokens of micromark: links `<…>` and without brackets, and the addresses in `[text](…)` and `[label]: …`. */
const labelTokens: ReadonlySet<string> = new Set(['autolink', 'literalAutolink']);
const linkTokens = new Set([...labelTokens, 'resourceDestinationString', 'definitionDestinationString']);

/**
 * Finds the links to posts of a Stack Exchange site.
 * @param hosts all names of the site; the first one is the base of relative addresses
 */
export function findPostLinks(markdown: string, hosts: readonly string[]): PostLink[] {
  return mayLinkToPosts(markdown) ? findLinks(markdown, (address) => getLinkedPosts(address, hosts)) : [];
}

/**
 * Finds the links that become links in the browser: not in code, and none in texts that micromark takes
 * too long for.
 * @param getPosts returns the numbers of the posts that an address leads to; none for other addresses
 * @param getOrigin returns what a relative address gets if none of the posts is here
 */
export function findLinks(
  markdown: string,
  getPosts: (address: string) => number[],
  getOrigin: (address: string) => string | null = () => null,
): PostLink[] {
  if (!isCheapForMicromark(markdown)) return [];
  const parser = parse({ extensions: [gfm()] }).document();
  const links: PostLink[] = [];
  let images = 0;
  for (const [kind, token] of postprocess(parser.write(preprocess()(markdown, undefined, true)))) {
    if (token.type === 'image') images += kind === 'enter' ? 1 : -1;
    if (kind === 'exit' || images > 0 || !linkTokens.has(token.type)) continue;
    const [from, to] = [token.start.offset, token.end.offset];
    const text = markdown.slice(from, to);
    const label = labelTokens.has(token.type) ? text.replace(/^<|>$/gu, '') : null;
    const address = label ?? text.replace(/\\(?=[!-/:-@[-`{-~])/gu, '');
    const [posts, origin] = [getPosts(address), getOrigin(address)];
    if (posts.length > 0 || origin !== null) links.push({ from, to, label, posts, origin });
  }
  return links;
}

/**
 * Returns the posts that an address of the site leads to. Questions and answers are numbered together, and the site
 * accepts an answer in place of a question.
 */
export function getLinkedPosts(address: string, hosts: readonly string[]): number[] {
  const url = URL.parse(address, `https://${hosts[0]}`);
  if (url === null || !/^https?:$/u.test(url.protocol) || !hosts.includes(canonicalHost(url.host))) return [];
  const post = parsePostPath(url.pathname);
  if (post === null) return [];
  const inFragment = /^#(?:comment\d{1,12}_)?(\d{1,12})$/u.exec(url.hash)?.[1];
  return [...new Set([inFragment, ...post].filter((each) => each !== undefined).map(Number))];
}

/** Returns the numbers in `/questions/1`, `/questions/1/title`, `/questions/1/title/2`, `/q/1` and `/a/2`, or null. */
function parsePostPath(path: string): (string | undefined)[] | null {
  const short = /^\/(?:q|a)\/(\d{1,12})(?:\/\d*)?$/u.exec(path);
  if (short !== null) return [short[1]];
  const long = /^\/questions\/(\d{1,12})(?:\/[^/]*(?:\/(\d{1,12}))?)?\/?$/u.exec(path);
  return long && [long[2], long[1]];
}

/**
 * Replaces the addresses of links. What readers see of a link stays.
 * @param getPath returns the path of the first of these posts that there is, or null
 */
export function replacePostLinks(
  markdown: string,
  links: readonly PostLink[],
  getPath: (posts: readonly number[]) => string | null,
): { content: string; replaced: number } {
  let content = '';
  let end = 0;
  let replaced = 0;
  for (const { from, to, label, posts, origin } of links.toSorted((a, b) => a.from - b.from)) {
    const path = getPath(posts) ?? (origin === null ? null : `${origin}${markdown.slice(from, to)}`);
    if (path === null) continue;
    content += markdown.slice(end, from);
    content += label === null ? path : `[${label.replace(/[\\`*_~[\]<>&]/gu, String.raw`\$&`)}](${path})`;
    end = to;
    replaced++;
  }
  return { content: content + markdown.slice(end), replaced };
}
