import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { getErrorMessage } from '#server/core/startup-error.ts';
import { limits } from '#shared/core/limits.ts';
import {
  AddressRefusedError,
  createSafeLookup,
  type IsAllowedAddress,
  refuseLiteralAddress,
} from '#server/core/public-addresses.ts';

/**
 * Why a picture was not fetched.
 * - refused: by the rules of this site, for its address or its file
 * - failed: it may be fetched later
 * - unreachable: likewise, and its host does not respond
 */
export class DownloadError extends Error {
  readonly kind: 'refused' | 'failed' | 'unreachable';
  /** Milliseconds after which the host accepts requests again, if it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: DownloadError['kind'], message: string, retryAfterMs?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

export type DownloadLimits = { bytes: number; ms: number; redirects: number };

const defaultLimits: DownloadLimits = { bytes: limits.uploadBytes, ms: 30_000, redirects: 5 };

export type Download = (address: string, signal: AbortSignal) => Promise<Uint8Array>;

/**
 * Creates a function that fetches a file, with limits on bytes, time and redirects. It throws DownloadError, and the
 * signal's reason if it was aborted.
 */
export function createDownload(isAllowed: IsAllowedAddress, within = defaultLimits): Download {
  const agentOptions = { keepAlive: true, lookup: createSafeLookup(isAllowed) };
  const agents = { 'http:': new http.Agent(agentOptions), 'https:': new https.Agent(agentOptions) };
  return async (address, signal) => {
    const timeout = AbortSignal.timeout(within.ms);
    try {
      const response = await follow(new URL(address), AbortSignal.any([signal, timeout]));
      return await readBody(response, within.bytes);
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted)
        throw new DownloadError('unreachable', `not received within ${within.ms / 1000} s`);
      throw toDownloadError(error);
    }
  };

  async function follow(first: URL, signal: AbortSignal): Promise<IncomingMessage> {
    let url = first;
    for (let redirects = 0; redirects <= within.redirects; redirects++) {
      const response = await send(url, signal);
      const { statusCode = 0, headers } = response;
      const next = [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;
      if (next === undefined) {
        if (statusCode === 200) return response;
        response.destroy();
        throw new DownloadError('failed', `the server responded ${statusCode}`, readRetryAfter(response));
      }
      response.destroy();
      const target = URL.parse(next, url);
      if (target === null) throw new DownloadError('failed', 'redirected to an invalid address');
      url = target;
    }
    throw new DownloadError('failed', `more than ${within.redirects} redirects`);
  }

  async function send(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const { protocol } = url;
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new DownloadError('refused', 'neither http nor https');
    refuseLiteralAddress(url, isAllowed);
    const headers = {
      accept: 'image/*',
      'accept-encoding': 'identity',
      'user-agent': 'Parley (picture import)',
    };
    const options = { agent: agents[protocol], headers, signal };
    const request = protocol === 'https:' ? https.get(url, options) : http.get(url, options);
    let response: IncomingMessage;
    try {
      [response] = (await once(request, 'response')) as [IncomingMessage];
    } catch (error) {
      // The server closed an idle connection at the same moment.
      if (request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET')
        return send(url, signal);
      throw error;
    }
    // An error of the body is thrown where it is read.
    request.on('error', () => {});
    response.on('error', () => {});
    return response;
  }
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new DownloadError('refused', `larger than ${maxBytes / 1_000_000} MB`);
  try {
    const type = response.headers['content-type'] ?? '';
    if (/^(?!image\/|application\/octet-stream|binary\/octet-stream)./i.test(type))
      throw new DownloadError('refused', 'not a picture, according to the server');
    if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    response.destroy();
  }
}

/** A server that is overloaded says when to come back, in seconds or as a date (RFC 9110, section 10.2.3). */
function readRetryAfter({ statusCode, headers }: IncomingMessage): number | undefined {
  if (statusCode !== 429 && statusCode !== 503) return undefined;
  const text = headers['retry-after'] ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 5_000;
}

function toDownloadError(error: unknown): DownloadError {
  if (error instanceof DownloadError) return error;
  if (error instanceof AddressRefusedError)
    return new DownloadError('refused', 'not on the public internet (see --allow-address)');
  const { code = getErrorMessage(error) } = error as NodeJS.ErrnoException;
  return new DownloadError('unreachable', errorTexts[code] ?? `the connection failed (${code})`);
}

const errorTexts: Readonly<Record<string, string>> = {
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host',
  ECONNREFUSED: 'the host refuses connections',
  ECONNRESET: 'the host closed the connection',
};
