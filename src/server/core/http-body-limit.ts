import type { HttpBindings } from '@hono/node-server';
import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import { ProblemError } from './errors.ts';

/**
 * Refuses requests with a longer body. A stated length is trusted, because Node's parser reads no more than that; the
 * body is not touched, because that would convert it to a stream. Bodies without a stated length are counted.
 */
export function limitBodySize(maxBytes: number) {
  const counted = bodyLimit({ maxSize: maxBytes, onError: throwTooLarge });
  return createMiddleware<{ Bindings: Partial<HttpBindings> }>(async (c, next) => {
    const headers = c.env?.incoming?.headers;
    // An internal request from a page to the API, or a chunked body (RFC 9112, section 6).
    if (headers === undefined || headers['transfer-encoding'] !== undefined) return counted(c, next);
    return Number(headers['content-length'] ?? 0) > maxBytes ? throwTooLarge() : next();
  });
}

const throwTooLarge = () => {
  throw new ProblemError('request-too-large');
};
