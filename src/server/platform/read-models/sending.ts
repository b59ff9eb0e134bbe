import type { Context, TypedResponse } from 'hono';
import type { Reader } from '#server/platform/database.ts';
import type { SignedInEnv } from '#server/platform/http.ts';
import type { ShownEnv } from '#server/platform/replicas/reading.ts';
import { seenHeader } from '#shared/events.ts';
import { bytesOf, fill, type FilledPage, gzippedBytesOf, toPage } from './page.ts';
import type { Fact, ReadModels, WantedPage } from './read-models.ts';

/** Reads pages for requests: from what is kept where that is new enough for them, else from where they read anything. */
export type Pages = {
  read: (c: PageContext, wanted: WantedPage) => Promise<FilledPage>;
  /** Something about the viewer that decides which page they are shown. */
  learn: (c: PageContext, fact: Fact) => Promise<boolean>;
};

type PageContext = Context<{ Variables: SignedInEnv['Variables'] & ShownEnv['Variables'] }>;

/** @param models absent where nothing is kept. */
export function createPages(models: ReadModels | undefined): Pages {
  return {
    async read(c, wanted) {
      const kept = keptFor(c);
      if (kept === undefined) return readPast(c.get('reading'), wanted);
      // What is kept was read from the primary, and is as new as the stream of events.
      c.set('shown', undefined);
      return kept.read(wanted, c.get('viewer').id);
    },
    learn: (c, fact) => keptFor(c)?.learn(fact) ?? fact.read(c.get('reading')),
  };

  function keptFor(c: PageContext): ReadModels | undefined {
    const headers = { seen: c.req.header(seenHeader), cookie: c.req.header('cookie') };
    return models?.isFreshFor(headers) ? models : undefined;
  }
}

async function readPast(db: Reader, wanted: WantedPage): Promise<FilledPage> {
  const { parts, values } = await wanted.read(db);
  return fill(toPage(wanted.key, wanted, parts), { values, ...wanted.ownStaleBy });
}

/** The answer to a request for a page: its bytes, or (304) that the asker has them already. */
export type PageReply = {
  status: 200 | 304;
  /** Names and values in turn, as node:http takes them with the least ado. */
  headers: string[];
  body: Buffer | null;
};

export type PageRequest = { acceptEncoding: string | undefined; ifNoneMatch: string | undefined };

export function replyWith(filled: FilledPage, { acceptEncoding, ifNoneMatch }: PageRequest): PageReply {
  const gzipped = accepts(acceptEncoding) ? gzippedBytesOf(filled) : undefined;
  const etag = gzipped === undefined ? `"${filled.tag}"` : `"${filled.tag}-gzip"`;
  // Of one member, and to be asked for again each time.
  const headers = ['cache-control', 'private, no-cache', 'vary', 'accept-encoding, cookie', 'etag', etag];
  if (ifNoneMatch !== undefined && names(ifNoneMatch, filled.tag))
    return { status: 304, headers, body: null };
  const body = gzipped ?? bytesOf(filled);
  headers.push('content-type', 'application/json', 'content-length', String(body.length));
  if (gzipped !== undefined) headers.push('content-encoding', 'gzip');
  return { status: 200, headers, body };
}

/** The reply of a route. `Body` is what its bytes say, for the typed client. */
export function send<Body>(c: Context, filled: FilledPage): Response & TypedResponse<Body, 200, 'json'> {
  const { status, headers, body } = replyWith(filled, {
    acceptEncoding: c.req.header('accept-encoding'),
    ifNoneMatch: c.req.header('if-none-match'),
  });
  for (let at = 0; at < headers.length; at += 2) c.header(headers[at] ?? '', headers[at + 1]);
  const response = body === null ? c.body(null, status) : c.body(new Uint8Array(body), 200);
  return response as Response as Response & TypedResponse<Body, 200, 'json'>;
}

/** Whether gzip may be sent: named, and not with a weight of 0 (RFC 9110, section 12.5.3). */
function accepts(acceptEncoding: string | undefined): boolean {
  return acceptEncoding !== undefined && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*(?:,|$)))/.test(acceptEncoding);
}

/** Whether one of the tags that the asker has is this one's, in whichever encoding it came. */
function names(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((each) => {
    const known = each.trim().replace(/^W\//, '');
    return known === `"${tag}"` || known === `"${tag}-gzip"`;
  });
}
