import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { createSafeLookup, type IsAllowedAddress, refuseLiteralAddress } from './public-addresses.ts';

/** The addresses that a host may have: those on the public internet, and those that the operator allows. */
export type ReachableHosts = { addressesOf: (url: URL) => IsAllowedAddress };

/** `body` has at most `maxBytes`. */
export type OutgoingResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer };

export type OutgoingRequest = {
  hosts: ReachableHosts;
  /** Milliseconds from resolving the name to the end of the response, with all redirects. */
  ms: number;
  /** The rest of a longer response is not read. */
  maxBytes: number;
  headers?: Readonly<Record<string, string>>;
  /** Sent by POST. Without one, the request is a GET. */
  body?: string;
  /** How many redirects are followed, none by default, and to which addresses. One more is the response. */
  redirects?: number;
  follows?: (target: URL) => boolean;
  /** Called before the body is read; throws to leave it unread. */
  check?: (response: Omit<OutgoingResponse, 'body'>) => void;
  /** A response that breaks off is returned as far as it arrived. */
  mayBreakOff?: boolean;
  /** Without them, each request has a connection of its own, so that the address is checked for each. */
  agents?: Agents;
  signal?: AbortSignal;
};

/** Keep connections open for further requests with the same `hosts`. */
export type Agents = { http: http.Agent; https: https.Agent };
export const createAgents = (): Agents => ({
  http: new http.Agent({ keepAlive: true }),
  https: new https.Agent({ keepAlive: true }),
});

/**
 * Sends a request to an address that others chose. Each host, also that of a redirect, is resolved once, and the
 * connection uses an address that was checked.
 * @throws AddressRefusedError for a host without an allowed address, the reason of the signal, a DOMException
 * 'TimeoutError' after `ms`, the error of `check`, an error for a redirect that `follows` refuses, and errors of Node
 * with a `code`
 */
export async function sendRequest(first: URL, options: OutgoingRequest): Promise<OutgoingResponse> {
  const timeout = AbortSignal.timeout(options.ms);
  const signal = AbortSignal.any([timeout, ...(options.signal === undefined ? [] : [options.signal])]);
  try {
    const response = await follow(first, { ...options, signal });
    try {
      const { statusCode: status = 0, headers } = response;
      options.check?.({ status, headers });
      return { status, headers, body: await readBody(response, options) };
    } finally {
      response.destroy();
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    timeout.throwIfAborted();
    throw error;
  }
}

async function follow(first: URL, options: OutgoingRequest): Promise<IncomingMessage> {
  const { redirects = 0, follows } = options;
  let url = first;
  for (let followed = 0; ; followed++) {
    const response = await send(url, options);
    const isRedirect = [301, 302, 303, 307, 308].includes(response.statusCode ?? 0);
    const { location } = response.headers;
    if (!isRedirect || location === undefined || followed === redirects) return response;
    response.destroy();
    url = new URL(location, url);
    if (follows?.(url) === false) throw new Error(`a redirect to ${url.origin} is not followed`);
  }
}

async function send(url: URL, options: OutgoingRequest): Promise<IncomingMessage> {
  const { hosts, headers, body, agents, signal } = options;
  const isAllowed = hosts.addressesOf(url);
  refuseLiteralAddress(url, isAllowed);
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  // Node refuses other protocols.
  const request = { http, https }[scheme].request(url, {
    method: body === undefined ? 'GET' : 'POST',
    agent: agents?.[scheme] ?? false,
    lookup: createSafeLookup(isAllowed),
    headers: { 'accept-encoding': 'identity', ...headers },
    ...(signal !== undefined && { signal }),
  });
  // An error of the body is thrown where it is read.
  request.on('error', () => {});
  request.end(body);
  try {
    // After `101 Switching Protocols`, Node closes the connection without an event: only the signal ends the wait.
    const [response] = (await once(request, 'response', { signal })) as [IncomingMessage];
    response.on('error', () => {});
    return response;
  } catch (error) {
    // The server closed an idle connection at the same moment.
    const isIdleClosed = request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
    if (!isIdleClosed) throw error;
    return send(url, options);
  }
}

async function readBody(
  response: IncomingMessage,
  { maxBytes, mayBreakOff = false }: OutgoingRequest,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxBytes) break;
    }
  } catch (error) {
    if (!mayBreakOff) throw error;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/**
 * Milliseconds after which the host accepts requests again: it says so in seconds or as a date (RFC 9110, section
 * 10.2.3). Null without a valid one.
 */
export function readRetryAfter(headers: IncomingHttpHeaders): number | null {
  const text = headers['retry-after'] ?? '';
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
