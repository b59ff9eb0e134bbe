import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A stored response. `request` has the headers of the request that the response varies by. */
export type StoredResponse = {
  url: string;
  request: IncomingHttpHeaders;
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  storedAt: number;
};

/** A shared cache in front of a server, as small as RFC 9111 allows. The response header `x-cache` says what it did. */
export type CachingProxy = {
  address: string;
  /** All responses that it has ever stored. */
  stored: StoredResponse[];
  /** Makes the proxy's clock advance. */
  wait: (seconds: number) => void;
  stop: () => Promise<void>;
};

export async function startCachingProxy(origin: string): Promise<CachingProxy> {
  const stored: StoredResponse[] = [];
  const current = new Map<string, StoredResponse[]>();
  let now = 0;
  const server = http.createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stored,
    wait: (seconds) => (now += seconds),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '/', headers } = request;
    const known =
      request.method === 'GET' ? current.get(url)?.find((each) => matches(each, headers)) : undefined;
    if (known !== undefined && now - known.storedAt < getLifetime(known.headers)) return send(known, 'hit');
    const etag = known?.headers.etag;
    const condition = etag === undefined ? {} : { 'if-none-match': etag };
    const forwarded = http.request(origin + url, {
      method: request.method,
      headers: { ...headers, ...condition },
    });
    request.pipe(forwarded);
    const [answer] = (await once(forwarded, 'response')) as [IncomingMessage];
    const body = await buffer(answer);
    const status = answer.statusCode ?? 500;
    if (known !== undefined && status === 304) {
      Object.assign(known, { headers: { ...known.headers, ...answer.headers }, storedAt: now });
      return send(known, 'revalidated');
    }
    const fresh = { url, request: headers, status, headers: answer.headers, body, storedAt: now };
    const others = (current.get(url) ?? []).filter((each) => each !== known && !matches(each, headers));
    const isStored = request.method === 'GET' && status === 200 && getLifetime(answer.headers) > 0;
    current.set(url, isStored ? [...others, fresh] : others);
    if (isStored) stored.push(fresh);
    send(fresh, isStored ? 'stored' : 'passed');

    function send(sent: StoredResponse, what: string): void {
      response.writeHead(sent.status, { ...sent.headers, 'x-cache': what }).end(sent.body);
    }
  }
}

/** Whether a request selects a stored response (RFC 9111, section 4.1). */
function matches({ request, headers: { vary = '' } }: StoredResponse, headers: IncomingHttpHeaders): boolean {
  const names = vary.split(',').map((name) => name.trim().toLowerCase());
  return names.every((name) => name !== '*' && String(request[name]) === String(headers[name]));
}

/** The seconds for which a shared cache may serve a response without asking the server. */
function getLifetime({ 'cache-control': control = '' }: IncomingHttpHeaders): number {
  if (/\b(?:private|no-store|no-cache)\b/.test(control)) return 0;
  return Number((/s-maxage=(\d+)/.exec(control) ?? /max-age=(\d+)/.exec(control))?.[1] ?? 0);
}
