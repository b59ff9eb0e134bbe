import type { hc } from 'hono/client';
import type { Api } from '#server/api.ts';

/** The types of Hono's client. Its code does more than the web app needs, 1.6 KB of the first script. */
export type ApiClient = ReturnType<typeof hc<Api>>;

export type ApiRequest = Omit<RequestInit, 'headers'> & { method: string; headers: Record<string, string> };

/** Sends a request to a path, and returns the response or throws. */
type Send = (path: string, init: ApiRequest) => Promise<Response>;

/** The arguments of `$get`, `$post`, `$put` and `$delete`. */
type Content = {
  /** Replace the parts of the path that begin with ':'. The caller encodes what is not a plain name. */
  param?: Record<string, string>;
  query?: Record<string, string | undefined>;
  header?: Record<string, string>;
  json?: unknown;
};
type Options = { headers?: Record<string, string>; init?: Omit<RequestInit, 'headers' | 'method'> };

/** A client of the server's API: `client.questions[':id'].$get({ param: { id: '7' } })` sends GET /api/questions/7. */
export function createApiClient(send: Send): ApiClient {
  const request = (
    parts: readonly string[],
    method: string,
    content: Content = {},
    options: Options = {},
  ) => {
    const { param = {}, query = {}, header, json } = content;
    const path = parts.map((part) => (part.startsWith(':') ? param[part.slice(1)] : part)).join('/');
    const wanted = Object.entries(query).filter((each): each is [string, string] => each[1] !== undefined);
    const search = new URLSearchParams(wanted).toString();
    return send(`/api/${path}${search && '?'}${search}`, {
      method,
      headers: {
        ...header,
        ...options.headers,
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...options.init,
    });
  };
  const select = (parts: readonly string[]): object =>
    new Proxy(() => {}, {
      // A promise would have a method `then`.
      get: (_, name) => (typeof name === 'string' && name !== 'then' ? select([...parts, name]) : undefined),
      apply: (_, _this, [content, options]: [Content?, Options?]) =>
        request(parts.slice(0, -1), (parts.at(-1) ?? '').slice(1).toUpperCase(), content, options),
    });
  // The server's routes define which paths and methods there are.
  return select([]) as ApiClient;
}
