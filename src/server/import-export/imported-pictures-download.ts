import {
  createAgents,
  type OutgoingResponse,
  readRetryAfter,
  sendRequest,
} from '#server/core/outgoing-request.ts';
import { AddressRefusedError, type IsAllowedAddress } from '#server/core/public-addresses.ts';
import { getErrorMessage } from '#server/core/startup-error.ts';
import { limits } from '#shared/core/limits.ts';

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
export function createDownload(
  isAllowed: IsAllowedAddress,
  { bytes, ms, redirects }: DownloadLimits = defaultLimits,
): Download {
  const agents = createAgents();
  const tooLarge = () => new DownloadError('refused', `larger than ${bytes / 1_000_000} MB`);
  return async (address, signal) => {
    try {
      const { body } = await sendRequest(new URL(address), {
        hosts: { addressesOf: () => isAllowed },
        headers: { accept: 'image/*', 'user-agent': 'Parley (picture import)' },
        ms,
        // One more than is accepted.
        maxBytes: bytes + 1,
        redirects,
        check,
        agents,
        signal,
      });
      if (body.length > bytes) throw tooLarge();
      return body;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof DOMException && error.name === 'TimeoutError')
        throw new DownloadError('unreachable', `not received within ${ms / 1000} s`);
      throw toDownloadError(error);
    }
  };

  function check({ status, headers }: Omit<OutgoingResponse, 'body'>): void {
    if (status >= 300 && status < 400 && headers.location !== undefined)
      throw new DownloadError('failed', `more than ${redirects} redirects`);
    if (status !== 200) {
      // A server that is overloaded says when to come back.
      const isBusy = status === 429 || status === 503;
      const retryAfterMs = isBusy ? (readRetryAfter(headers) ?? 5_000) : undefined;
      throw new DownloadError('failed', `the server responded ${status}`, retryAfterMs);
    }
    const type = headers['content-type'] ?? '';
    if (/^(?!image\/|application\/octet-stream|binary\/octet-stream)./i.test(type))
      throw new DownloadError('refused', 'not a picture, according to the server');
    if (Number(headers['content-length'] ?? 0) > bytes) throw tooLarge();
  }
}

function toDownloadError(error: unknown): DownloadError {
  if (error instanceof DownloadError) return error;
  if (error instanceof AddressRefusedError)
    return new DownloadError('refused', 'not on the public internet (see --allow-address)');
  const { code = getErrorMessage(error) } = error as NodeJS.ErrnoException;
  if (code === 'ERR_INVALID_PROTOCOL') return new DownloadError('refused', 'neither http nor https');
  if (code === 'ERR_INVALID_URL') return new DownloadError('failed', 'redirected to an invalid address');
  return new DownloadError('unreachable', errorTexts[code] ?? `the connection failed (${code})`);
}

const errorTexts: Readonly<Record<string, string>> = {
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host',
  ECONNREFUSED: 'the host refuses connections',
  ECONNRESET: 'the host closed the connection',
};
