import { t } from '@lingui/core/macro';
import type { ClientResponse } from 'hono/client';
import { minPositionHeader } from '#shared/core/events.ts';
import { actingMemberHeader } from '#shared/core/protocol.ts';
import type { Problem } from '#shared/core/problem.ts';
import { type ApiRequest, createApiClient } from './api-client.ts';
import { type ConnectionStatus, setConnectionStatus } from './connection.ts';
import { ApiError, isTransient, isRetryableStatus, UnreachableError } from './errors.ts';
import { takeInlinedResponse } from './inlined-responses.ts';
import { getNewestPosition, recordResponsePosition } from './live-position.ts';

/**
 * The server's API, typed by the server's routes. Requests throw only `ApiError` or `UnreachableError`. Example:
 * `const page = await readJson(api.questions[':id'].$get({ param: { id } }))`.
 */
export const api = createApiClient(sendRequest);

/** The body of a response; undefined if the route responds without one (204). */
export async function readJson<R extends ClientResponse<unknown>>(pending: Promise<R>): Promise<BodyOf<R>> {
  const response = await pending;
  let text: string;
  try {
    text = await response.text();
    // Status 204 has no body, as its type says.
    return (text === '' ? undefined : JSON.parse(text)) as BodyOf<R>;
  } catch (error) {
    if (isAbort(error)) throw error;
    setConnectionStatus('offline');
    throw new UnreachableError(t`The response was incomplete.`, { cause: error });
  }
}
type BodyOf<R> = R extends ClientResponse<infer Body> ? Body : never;

/**
 * Requests the session. Without a response in time, the server counts as unreachable: until then, the page can be blank.
 */
export const requestSession = (timeoutMs = 20_000) =>
  readJson(api.session.$get({}, { init: { signal: AbortSignal.timeout(timeoutMs) } }));

/** Whether the server responds within 5 seconds. Sends a new request. */
export async function isServerReachable(): Promise<boolean> {
  try {
    await requestSession(5000);
    return true;
  } catch (error) {
    return !isTransient(error);
  }
}

/** An idempotency key for one post. It is stored with the draft, so that a retry posts once (docs/product.md 6.6). */
export function createIdempotencyKey(): string {
  // crypto.randomUUID exists only in secure contexts, which a server on plain http in a local network is not.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The header of a write that names its member: the server refuses it if another one has signed in to the browser since. */
export const getMemberHeader = (id: number | null): Record<string, string> =>
  id === null ? {} : { [actingMemberHeader]: String(id) };

/** Names the member whose page this is, in each write that names none. */
export const getPageMemberHeader = () => pageMemberHeader;
let pageMemberHeader = getMemberHeader(null);

export function setPageMember(id: number | null): void {
  pageMemberHeader = getMemberHeader(id);
}

async function sendRequest(path: string, init: ApiRequest): Promise<Response> {
  let response: Response;
  const position = getNewestPosition();
  const headers = {
    ...(init.method !== 'GET' && pageMemberHeader),
    ...(position !== undefined && { [minPositionHeader]: position }),
    ...init.headers,
  };
  try {
    response = takeInlinedResponse(path, init.method) ?? (await fetch(path, { ...init, headers }));
  } catch (error) {
    if (isAbort(error)) throw error;
    setConnectionStatus('offline');
    throw new UnreachableError(t`The server cannot be reached.`, { cause: error });
  }
  recordResponsePosition(response);
  const problem = response.ok ? null : await problemOf(response);
  setConnectionStatus(problem === null ? 'online' : connectionStatusOf(problem));
  if (problem !== null) throw new ApiError(problem, retryAfterOf(response));
  return response;
}

function connectionStatusOf({ status, kind }: Problem): ConnectionStatus {
  if (!isRetryableStatus(status)) return 'online';
  return kind === 'busy' ? 'busy' : 'restarting';
}

/** The problem details of a response. A proxy may respond without any. */
async function problemOf(response: Response): Promise<Problem> {
  const fallback: Problem = {
    type: 'about:blank',
    title: response.statusText,
    status: response.status,
    kind: `http-${response.status}`,
    code: `http-${response.status}`,
    params: {},
    detail: t`Something went wrong. Please try again.`,
  };
  try {
    const body: unknown = await response.json();
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

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
