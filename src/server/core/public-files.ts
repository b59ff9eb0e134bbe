import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Context } from 'hono';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { overloadedError, ProblemError } from './errors.ts';
import { chooseEncoding, matchesEtag } from './response-cache-http.ts';

/** A file for everyone, such as a feed, a sitemap or a picture. */
export type PublicFile = {
  body: Buffer<ArrayBuffer>;
  encoding: 'gzip' | 'identity';
  contentType: string;
  etag: string;
  /** Undefined if unknown. */
  lastModified: Date | undefined;
};

/** Compresses a text. Its parts are joined as bytes, so that a long one is never one string. */
export async function createTextFile(
  parts: readonly string[],
  { contentType, lastModified }: Pick<PublicFile, 'contentType' | 'lastModified'>,
): Promise<PublicFile> {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const body = Buffer.from(await promisify(gzip)(bytes, { level: gzipLevel }));
  return { body, encoding: 'gzip', contentType, lastModified, etag: createEtag(bytes) };
}

/** A file that is compressed already, such as a picture. */
export function createBinaryFile(body: Buffer<ArrayBuffer>, contentType: string): PublicFile {
  return { body, encoding: 'identity', contentType, lastModified: undefined, etag: createEtag(body) };
}

const gzipLevel = 5;

const createEtag = (bytes: Buffer) => `"${hash('sha1', bytes, 'base64url')}"`;

/**
 * Builds public files on demand, one at a time, and stores them for a while. Null: there is no such file.
 * @param network the network of the client; null: its waiting files are not limited
 * @throws ProblemError 'too-fast' if many files that the network requested wait, 'overloaded' if many wait in all
 */
export type PublicFiles = (
  network: string | null,
  key: string,
  build: () => Promise<PublicFile | null>,
) => Promise<PublicFile | null>;

/** @param maxAgeSeconds how long a file is stored, so that a hidden post disappears from it */
export function createPublicFiles(options: { maxBytes: number; maxAgeSeconds: number }): PublicFiles {
  const stored = new LRUCache<string, PublicFile>({
    maxSize: options.maxBytes,
    sizeCalculation: ({ body }, key) => body.length + key.length + 300,
    ttl: options.maxAgeSeconds * 1_000,
  });
  const building = new Map<string, Promise<PublicFile | null>>();
  // Members' requests go first: a crawler gets at most one processor's time.
  const inTurn = pLimit(1);
  const waiting = new Map<string | null, number>();
  return (network, key, build) => {
    const found = stored.get(key);
    if (found !== undefined) return Promise.resolve(found);
    const running = building.get(key);
    if (running !== undefined) return running;
    const ofNetwork = waiting.get(network) ?? 0;
    if (network !== null && ofNetwork >= maxWaitingOfNetwork)
      throw new ProblemError('too-fast', { retryAfter: 5 });
    if (inTurn.pendingCount >= maxWaiting) throw overloadedError();
    waiting.set(network, ofNetwork + 1);
    const file = inTurn(build)
      .then((built) => {
        if (built !== null) stored.set(key, built);
        return built;
      })
      .finally(() => {
        building.delete(key);
        const left = (waiting.get(network) ?? 1) - 1;
        if (left > 0) waiting.set(network, left);
        else waiting.delete(network);
      });
    building.set(key, file);
    return file;
  };
}

/** Builds that wait at most, and those of one network; further requests are refused. */
const maxWaiting = 100;
const maxWaitingOfNetwork = 10;

/**
 * Responds with a file, with 304 if the client has it, and with 404 without a file.
 * @param sharedSeconds how long shared caches may store it; browsers ask each time
 */
export async function sendPublicFile(
  c: Context,
  file: PublicFile | null,
  sharedSeconds: number,
): Promise<Response> {
  if (file === null) {
    c.header('cache-control', 'no-store');
    return c.text('Not found\n', 404);
  }
  c.header('cache-control', `public, max-age=0, s-maxage=${sharedSeconds}`);
  c.header('etag', file.etag);
  if (file.lastModified !== undefined) c.header('last-modified', file.lastModified.toUTCString());
  if (isUnchanged(c, file)) return c.body(null, 304);
  c.header('content-type', file.contentType);
  if (file.encoding === 'identity') return c.body(file.body);
  c.header('vary', 'accept-encoding', { append: true });
  if (chooseEncoding(c.req.header('accept-encoding')) === 'identity')
    return c.body(Buffer.from(await promisify(gunzip)(file.body)));
  c.header('content-encoding', 'gzip');
  return c.body(file.body);
}

/** The ETag goes before the time (RFC 9110, section 13.2.2). */
function isUnchanged(c: Context, { etag, lastModified }: PublicFile): boolean {
  const known = c.req.header('if-none-match');
  if (known !== undefined) return matchesEtag(known, etag);
  const since = Date.parse(c.req.header('if-modified-since') ?? '');
  return lastModified !== undefined && Math.floor(lastModified.getTime() / 1_000) * 1_000 <= since;
}
