import { readRetryAfter, sendRequest } from '#server/core/outgoing-request.ts';
import { AddressRefusedError } from '#server/core/public-addresses.ts';
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

type WebhookRequest = { address: string; headers: Readonly<Record<string, string>>; body: string };

/** Sends one request. Redirects are not followed: a receiver states its address. */
export async function sendWebhookRequest(
  { address, headers, body }: WebhookRequest,
  { hosts, timeoutMs = attemptTimeoutMs }: { hosts: WebhookHosts; timeoutMs?: number },
): Promise<AttemptResult> {
  try {
    hosts.check(address);
    const maxBytes = webhookLimits.responseBytes;
    // The status is known when the body is read, so a body that breaks off does not matter.
    const limits = { ms: timeoutMs, maxBytes, mayBreakOff: true };
    const response = await sendRequest(new URL(address), { hosts, headers, body, ...limits });
    const { status } = response;
    const isRedirect = status >= 300 && status < 400;
    return {
      status,
      error: status >= 200 && status < 300 ? null : isRedirect ? 'redirect' : 'status',
      // PostgreSQL cannot store NUL.
      responseBody: response.body.toString('utf8').replaceAll('\0', ''),
      retryAfterMs: readRetryAfter(response.headers),
    };
  } catch (error) {
    return { status: null, error: getFailure(error), responseBody: null, retryAfterMs: null };
  }
}

function getFailure(error: unknown): WebhookFailure {
  if (error instanceof AddressRefusedError || error instanceof ProblemError) return 'address-refused';
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'timeout';
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
