import { isIP } from 'node:net';
import type { Nodes } from 'hast';
import { type ReachableHosts, sendRequest } from '#server/core/outgoing-request.ts';
import { AddressRefusedError, allowPublicAddresses } from '#server/core/public-addresses.ts';

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

/** Reads the beginning of a page. Redirects may not lead to another host. Throws if the site responds with anything else. */
async function readPage(
  first: URL,
  { hosts, limits: { ms, bytes, redirects } }: { hosts: ReachableHosts; limits: PageLimits },
): Promise<string> {
  const { body } = await sendRequest(first, {
    hosts,
    headers: { accept: 'text/html', 'user-agent': 'Parley (profile claim)' },
    ms,
    maxBytes: bytes,
    redirects,
    follows: ({ host, protocol }) => host === first.host && protocol === first.protocol,
    check({ status, headers }) {
      if (status !== 200 || !/^text\/html\b/iu.test(headers['content-type'] ?? ''))
        throw new Error('not a page');
    },
  });
  return body.toString('utf8');
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
