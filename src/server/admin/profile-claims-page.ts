import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Nodes } from 'hast';
import {
  AddressRefusedError,
  allowPublicAddresses,
  createSafeLookup,
  type IsAllowedAddress,
  refuseLiteralAddress,
} from '#server/core/public-addresses.ts';

/** The addresses that a host may have: those on the public internet, and those that the operator allows. */
export type ReachableHosts = { addressesOf: (url: URL) => IsAllowedAddress };

/** Milliseconds for all requests together, bytes of a page, and redirects. */
export type PageLimits = { ms: number; bytes: number; redirects: number };
export const pageLimits: PageLimits = { ms: 10_000, bytes: 1_000_000, redirects: 3 };

/**
 * Whether the page of a profile on its site shows the token, outside of links: titles of posts, which others may edit, are
 * links.
 */
export async function findTokenOnPage(
  address: string,
  { token, hosts, limits = pageLimits }: { token: string; hosts: ReachableHosts; limits?: PageLimits },
): Promise<'found' | 'token-missing' | 'unreachable' | 'refused'> {
  try {
    const html = await readPage(toRequestUrl(address), { hosts, limits });
    if (html === null) return 'unreachable';
    return html.includes(token) && (await listOwnTexts(html)).some((text) => text.includes(token))
      ? 'found'
      : 'token-missing';
  } catch (error) {
    return error instanceof AddressRefusedError ? 'refused' : 'unreachable';
  }
}

/** A site in the operator's own network, named by its IP address, has no certificate. */
function toRequestUrl(address: string): URL {
  const url = new URL(address);
  const literal = url.hostname.replace(/^\[(.*)\]$/u, '$1');
  if (isIP(literal) !== 0 && !allowPublicAddresses()(literal)) url.protocol = 'http:';
  return url;
}

/** Returns the page; null if the site responds with anything else. Redirects may not lead to another host. */
async function readPage(
  first: URL,
  { hosts, limits }: { hosts: ReachableHosts; limits: PageLimits },
): Promise<string | null> {
  const signal = AbortSignal.timeout(limits.ms);
  let url = first;
  for (let redirects = 0; redirects <= limits.redirects; redirects++) {
    const response = await send(url, { isAllowed: hosts.addressesOf(url), signal });
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return readText(response, limits.bytes);
    response.destroy();
    const target = [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;
    const next = target === undefined ? null : URL.parse(target, url);
    if (next === null || next.host !== first.host || next.protocol !== first.protocol) return null;
    url = next;
  }
  return null;
}

async function send(
  url: URL,
  { isAllowed, signal }: { isAllowed: IsAllowedAddress; signal: AbortSignal },
): Promise<IncomingMessage> {
  refuseLiteralAddress(url, isAllowed);
  const options = {
    // A connection of its own, so that the address is checked for each request.
    agent: false,
    lookup: createSafeLookup(isAllowed),
    headers: { accept: 'text/html', 'accept-encoding': 'identity', 'user-agent': 'Parley (profile claim)' },
    signal,
  } as const;
  const request = url.protocol === 'https:' ? https.get(url, options) : http.get(url, options);
  const [response] = (await once(request, 'response', { signal })) as [IncomingMessage];
  request.on('error', () => {});
  return response;
}

/** Reads the beginning of a page. */
async function readText(response: IncomingMessage, maxBytes: number): Promise<string | null> {
  if (!/^text\/html\b/iu.test(response.headers['content-type'] ?? '')) {
    response.destroy();
    return null;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxBytes) break;
    }
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
}

const skippedElements: ReadonlySet<string> = new Set([
  'a',
  'head',
  'script',
  'style',
  'template',
  'noscript',
]);

/** The texts of a page that are not in links. Without recursion, because elements can be nested by the thousand. */
async function listOwnTexts(html: string): Promise<string[]> {
  const { fromHtml } = await import('hast-util-from-html');
  const texts: string[] = [];
  const pending: Nodes[] = [fromHtml(html)];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === 'text') texts.push(node.value);
    else if (node.type === 'root' || (node.type === 'element' && !skippedElements.has(node.tagName)))
      pending.push(...node.children);
  }
  return texts;
}
