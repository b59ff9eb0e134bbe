import type { Problem } from '#shared/problem.ts';
import { reportConnection } from './connection.ts';
import { ApiError, Unreachable } from './errors.ts';

type Options = {
  body?: unknown;
  /** The same key posts once (DECISIONS section 4.3); see `newIdempotencyKey`. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

/** Requests to the server this page came from. They throw `ApiError` or `Unreachable`, and nothing else. */
export const api = {
  get: <T>(path: string, options?: Options) => request<T>('GET', path, options),
  post: <T>(path: string, options?: Options) => request<T>('POST', path, options),
  put: <T>(path: string, options?: Options) => request<T>('PUT', path, options),
  delete: <T = undefined>(path: string, options?: Options) => request<T>('DELETE', path, options),
};

/** A key for one thing to post; keep it with the draft, so that a retry posts the same thing once. */
export function newIdempotencyKey(): string {
  // crypto.randomUUID exists in secure contexts only; a server on a plain http address in a local network is not one.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function request<T>(method: string, path: string, options: Options = {}): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey;

  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      method,
      headers,
      credentials: 'same-origin',
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    text = await response.text();
  } catch (error) {
    if (options.signal?.aborted) throw error;
    reportConnection('offline');
    throw new Unreachable('The server cannot be reached.', { cause: error });
  }

  reportConnection(response.status === 503 ? 'restarting' : 'online');
  if (!response.ok) throw new ApiError(problemOf(response, text), retryAfterOf(response));
  // 204 and other empty answers are undefined, as their types say.
  if (text === '') return undefined as T;
  return parse(text, response) as T;
}

function parse(text: string, response: Response): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Unreachable(`An answer from ${response.url} was cut off.`, { cause: error });
  }
}

/** The problem in the answer; a proxy in between may answer without one. */
function problemOf(response: Response, text: string): Problem {
  const fallback: Problem = {
    type: 'about:blank',
    title: response.statusText,
    status: response.status,
    code: `http_${response.status}`,
    detail: 'Something went wrong. Please try again.',
  };
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null) return fallback;
    return { ...fallback, ...body, status: response.status };
  } catch {
    return fallback;
  }
}

function retryAfterOf(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}
