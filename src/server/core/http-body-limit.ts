import type { HttpBindings } from '@hono/node-server';
import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import { ProblemError } from './errors.ts';

/**
 * Refuses requests whose body is longer than so many bytes. One that says how long it is, as all of browsers do, is
 * believed, because the parser of Node takes no more than that; so the body is not looked at, which would make a stream of
 * it. Others are counted.
 */
export function limitBodySize(maxBytes: number) {
  const counted = bodyLimit({ maxSize: maxBytes, onError: throwTooLarge });
  return createMiddleware<{ Bindings: Partial<HttpBindings> }>(async (c, next) => {
    const headers = c.env?.incoming?.headers;
    // A page that asks the API for what is inside it, or a body that comes in pieces (RFC 9112, section 6).
    if (headers === undefined || headers['transfer-encoding'] !== undefined) return counted(c, next);
    return Number(headers['content-length'] ?? 0) > maxBytes ? throwTooLarge() : next();
  });
}

const throwTooLarge = () => {
  throw new ProblemError('too-large', 'The request is too large.');
};
