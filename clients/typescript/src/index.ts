import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths, Problem } from './schema.ts';

export type * from './schema.ts';

/** Calls an endpoint by its path, such as `parley.GET('/questions/{id}', …)`. Paths, parameters and results are typed. */
export type ParleyClient = Client<paths, 'application/json'>;

export type ParleyClientOptions = {
  /** The address of the community, such as 'https://community.example.org'. */
  url: string;
  /** An API token, which members create in their settings. */
  token: string;
  /** How often a request that was refused for its rate, or because the server is busy, is sent again. 3 unless given. */
  maxRetries?: number;
};

/** An error response of the API (RFC 9457). Decide on `problem.kind` and `problem.code`, not on texts. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/**
 * Creates a client that acts in the name of the member who created the token.
 *
 * A request above a limit is sent again after the time that the server names, of up to a minute, but not a `POST`
 * without an `Idempotency-Key`, which could post twice.
 *
 * @throws ParleyError for every response that is an error; `data` of a result is thus always there
 */
export function createParleyClient({ url, token, maxRetries = 3 }: ParleyClientOptions): ParleyClient {
  const client = createFetchClient<paths, 'application/json'>({
    baseUrl: `${url.replace(/\/$/, '')}/api`,
    headers: { authorization: `Bearer ${token}` },
    fetch: (request) => sendAgain(request, maxRetries),
  });
  client.use({
    async onResponse({ response }) {
      if (response.ok || response.status === 304) return;
      throw new ParleyError(await readProblem(response));
    },
  });
  return client;
}

/** Yields the items of all pages of a list. `read` requests a page; `page` belongs into its query. */
export async function* readPages<Item>(
  read: (page: { cursor?: string }) => Promise<{ data?: { items: Item[]; nextCursor: string | null } }>,
): AsyncGenerator<Item> {
  let cursor: string | null | undefined;
  do {
    const { data } = await read(typeof cursor === 'string' ? { cursor } : {});
    if (data === undefined) return;
    yield* data.items;
    cursor = data.nextCursor;
  } while (cursor !== null);
}

export type ChangesPage = paths['/changes']['get']['responses'][200]['content']['application/json'];

/**
 * Yields what has changed since a cursor, page by page, to keep a copy of a community (docs/mirroring.md). Store the
 * `cursor` of each page together with its changes. An item is null when it was deleted or hidden.
 *
 * @throws ParleyError with the status 410 if the copy has to be read again, without a cursor
 */
export async function* readChanges(
  parley: ParleyClient,
  { cursor, kinds }: { cursor?: string; kinds?: readonly ChangesPage['changes'][number]['kind'][] } = {},
): AsyncGenerator<ChangesPage> {
  for (let next = cursor; ;) {
    const query = {
      ...(next !== undefined && { cursor: next }),
      ...(kinds !== undefined && { kinds: kinds.join(',') }),
    };
    const { data } = await parley.GET('/changes', { params: { query } });
    if (data === undefined) return;
    yield data;
    if (!data.hasMore) return;
    next = data.cursor;
  }
}

/** A request that the server refuses for longer is not sent again. */
const maxWaitSeconds = 60;

async function sendAgain(request: Request, maxRetries: number): Promise<Response> {
  const isRepeatable = request.method !== 'POST' || request.headers.has('idempotency-key');
  for (let retries = 0; ; retries++) {
    const response = await fetch(request.clone());
    const seconds = Number(response.headers.get('retry-after'));
    const isRefused = response.status === 429 || response.status === 503;
    if (!isRefused || !isRepeatable || retries >= maxRetries || !(seconds > 0) || seconds > maxWaitSeconds)
      return response;
    await response.body?.cancel();
    await wait(seconds * 1000, request.signal);
  }
}

/** @throws the reason of the signal, as soon as it is aborted */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** A response of a proxy is no problem of the API. */
async function readProblem(response: Response): Promise<Problem> {
  const isProblem = response.headers.get('content-type')?.includes('application/problem+json') === true;
  if (isProblem) return (await response.json()) as Problem;
  const { status, statusText: title } = response;
  const detail = `The server responded ${status} ${title}.`;
  return { type: 'about:blank', title, status, kind: 'internal', code: 'internal', params: {}, detail };
}
