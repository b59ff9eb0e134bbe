import http from 'node:http';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export type LoadBalancer = {
  /** Such as 'http://127.0.0.1:40123'. */
  address: string;
  /** Whether the node at this address was ready at the last check. */
  isReady: (node: string) => boolean;
  stop: () => Promise<void>;
};

/** Time between readiness checks of each node, in milliseconds. */
const checkIntervalMs = 100;

/**
 * Starts a TCP load balancer: each connection goes to the next node in turn and stays there. It leaves out nodes whose
 * /readyz is not 200, and tries the next node if one refuses the connection.
 */
export async function startLoadBalancer(nodes: readonly string[]): Promise<LoadBalancer> {
  const ready = new Map(nodes.map((node) => [node, true]));
  let turn = 0;
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const all = nodes.map((_, offset) => nodes[(turn + offset) % nodes.length] ?? '');
    turn++;
    tryOne(client, [...all.filter((node) => ready.get(node)), ...all.filter((node) => !ready.get(node))]);
  });
  const stopping = new AbortController();
  const checking = Promise.all(nodes.map((node) => check(node)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the load balancer is not listening');
  return {
    address: `http://127.0.0.1:${address.port}`,
    isReady: (node) => ready.get(node) === true,
    async stop() {
      stopping.abort();
      server.close();
      await checking;
    },
  };

  function tryOne(client: net.Socket, [node, ...others]: string[]): void {
    if (node === undefined) return void client.destroy();
    const { hostname, port } = new URL(node);
    const upstream = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
    const refused = () => tryOne(client, others);
    upstream.once('error', refused);
    upstream.once('connect', () => {
      upstream.off('error', refused);
      join(client, upstream);
    });
  }

  async function check(node: string): Promise<void> {
    while (!stopping.signal.aborted) {
      ready.set(node, (await statusOf(`${node}/readyz`)) === 200);
      await delay(checkIntervalMs);
    }
  }
}

/** Passes on the end of one side as an end, and an error as an error. */
function join(client: net.Socket, upstream: net.Socket): void {
  client.pipe(upstream).pipe(client);
  client.once('error', () => upstream.destroy());
  upstream.once('error', () => client.resetAndDestroy());
  client.once('close', () => upstream.destroy());
}

/** Null without a response. */
function statusOf(url: string): Promise<number | null> {
  return new Promise((resolve) => {
    http
      .get(url, { agent: false }, (response) => resolve(response.resume().statusCode ?? null))
      .on('error', () => resolve(null));
  });
}
