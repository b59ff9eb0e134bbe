import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import {
  AddressRefusedError,
  createSafeLookup,
  refuseLiteralAddress,
} from '#server/core/public-addresses.ts';
import { ProblemError } from '#server/core/errors.ts';
import { webhookLimits } from '#shared/integrations/webhook-events.ts';
import type { WebhookFailure } from '#shared/integrations/webhooks.ts';
import type { WebhookHosts } from './webhooks-addresses.ts';

/** The outcome of one attempt. Without an error, the receiver has accepted the event. */
export type AttemptResult = {
  status: number | null;
  error: WebhookFailure | null;
  responseBody: string | null;
  /** How long the receiver asks to wait. */
  retryAfterMs: number | null;
};

/** Milliseconds for an attempt, from resolving the name to the end of the response. */
export const attemptTimeoutMs = 10_000;

type OutgoingRequest = { address: string; headers: Readonly<Record<string, string>>; body: string };

/**
 * Sends one request. The host is resolved once, and the connection uses the address that was checked. Redirects are not
 * followed, because they could lead into the network of the server.
 */
export async function sendWebhookRequest(
  { address, headers, body }: OutgoingRequest,
  { hosts, timeoutMs = attemptTimeoutMs }: { hosts: WebhookHosts; timeoutMs?: number },
): Promise<AttemptResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const url = new URL(address);
    hosts.check(address);
    const isAllowed = hosts.addressesOf(url);
    refuseLiteralAddress(url, isAllowed);
    const options = {
      method: 'POST',
      // A connection of its own, so that the address is checked for each attempt.
      agent: false,
      lookup: createSafeLookup(isAllowed),
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal,
    } as const;
    const request = url.protocol === 'https:' ? https.request(url, options) : http.request(url, options);
    request.end(body);
    const [response] = (await once(request, 'response', { signal })) as [IncomingMessage];
    request.on('error', () => {});
    const responseBody = await readBeginning(response);
    return toResult(response, responseBody);
  } catch (error) {
    const failure = signal.aborted ? 'timeout' : getFailure(error);
    return { status: null, error: failure, responseBody: null, retryAfterMs: null };
  }
}

/** Reads no more than is stored. The status is known by then, so a response that breaks off does not matter. */
async function readBeginning(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= webhookLimits.responseBytes) break;
    }
  } catch {
    // What arrived is enough.
  } finally {
    response.destroy();
  }
  const text = Buffer.concat(chunks).subarray(0, webhookLimits.responseBytes).toString('utf8');
  // PostgreSQL cannot store NUL.
  return text.replaceAll('\0', '');
}

function toResult(response: IncomingMessage, responseBody: string): AttemptResult {
  const status = response.statusCode ?? 0;
  const isRedirect = status >= 300 && status < 400;
  const error = status >= 200 && status < 300 ? null : isRedirect ? 'redirect' : 'status';
  return { status, error, responseBody, retryAfterMs: readRetryAfter(response) };
}

/** In seconds or as a date (RFC 9110, section 10.2.3). Null without a valid one. */
function readRetryAfter({ headers }: IncomingMessage): number | null {
  const text = headers['retry-after'] ?? '';
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

function getFailure(error: unknown): WebhookFailure {
  if (error instanceof AddressRefusedError || error instanceof ProblemError) return 'address-refused';
  const { code = '' } = error as NodeJS.ErrnoException;
  if (/^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) return 'certificate';
  return failures[code] ?? 'connection-failed';
}

const failures: Readonly<Record<string, WebhookFailure>> = {
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'unknown-host',
  ECONNREFUSED: 'connection-refused',
  ECONNRESET: 'connection-closed',
  EPIPE: 'connection-closed',
};
