import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { WebhookPayload } from '#server/integrations/webhooks-payloads.ts';
import { eventually } from './eventually.ts';

/** A request that the receiver got. */
export type ReceivedRequest = {
  path: string;
  id: string;
  headers: Record<string, string>;
  body: string;
  payload: WebhookPayload;
  /** Whether it was answered with 204. */
  accepted: boolean;
};

/** A program that receives web hooks over real HTTP. */
export type WebhookReceiver = {
  /** Such as 'http://127.0.0.1:40123'. */
  address: string;
  requests: ReceivedRequest[];
  /** Handles a request instead of accepting it; null: accepts all. */
  behave: (how: ((request: ReceivedRequest) => RequestListener | null) | null) => void;
  /** Waits until a number of requests was accepted, and returns them. */
  accepted: (count: number, path?: string) => Promise<ReceivedRequest[]>;
  /** Verifies the signature with the library of the scheme. Throws for an invalid one. */
  verify: (secret: string, request: ReceivedRequest) => unknown;
  stop: () => Promise<void>;
};

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  let behaviour: Parameters<WebhookReceiver['behave']>[0] = null;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const headers = request.headers as Record<string, string>;
      const payload = JSON.parse(body) as WebhookPayload;
      const path = request.url ?? '';
      const id = headers['webhook-id'] ?? '';
      const received = { path, id, headers, body, payload, accepted: false };
      requests.push(received);
      const handle = behaviour?.(received) ?? null;
      if (handle !== null) return handle(request, response);
      received.accepted = true;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    behave: (how) => (behaviour = how),
    async accepted(count, path) {
      const list = () =>
        requests.filter((each) => each.accepted && (path === undefined || each.path === path));
      await eventually(() => list().length >= count);
      return list();
    },
    verify: (secret, { body, headers }) => new Webhook(secret).verify(body, headers),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
