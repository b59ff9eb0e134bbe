import http from 'node:http';
import { gunzipSync } from 'node:zlib';

type HttpRequest = {
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
};

type HttpResponse = { status: number; headers: Headers; text: string };

const agent = new http.Agent({ keepAlive: true });

/**
 * Sends a request with the headers of `fetch`, which takes three times as much processor time. The tests send tens of
 * thousands. Follows no redirects.
 */
export function sendRequest(url: string, { method, headers, body }: HttpRequest): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const length = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
  const { href, origin } = new URL(url);
  const request = http.request(
    origin,
    // As fetch does, keeps the '?' of an empty query.
    { path: href.slice(origin.length), method, agent, headers: { ...usualHeaders, ...length, ...headers } },
    (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(parts);
        const isCompressed = response.headers['content-encoding'] === 'gzip' && bytes.length > 0;
        resolve({
          status: response.statusCode ?? 0,
          headers: toHeaders(response.headersDistinct),
          text: (isCompressed ? gunzipSync(bytes) : bytes).toString(),
        });
      });
    },
  );
  request.on('error', reject);
  request.end(body);
  return promise;
}

const usualHeaders = {
  accept: '*/*',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
  'accept-encoding': 'gzip, deflate',
};

function toHeaders(distinct: NodeJS.Dict<string[]>): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(distinct))
    for (const value of values) headers.append(name, value);
  return headers;
}
