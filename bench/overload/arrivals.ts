import net from 'node:net';
import { performance } from 'node:perf_hooks';
import { isCompleteResponse, type Request } from '../write-throughput/load.ts';

/** The requests of one interval. Times in milliseconds. */
export type ArrivalFigures = {
  sent: number;
  /** Responses by status, and requests that timed out, whose connection broke, or for which no connection was free. */
  statuses: Record<string, number>;
  /** Times of successful responses (2xx), and of those refused by load shedding (503). */
  served: number[];
  refused: number[];
};

/** Maximum connections; further requests get no response, as behind a full load balancer. */
const maxConnections = 2_000;

/** Timeout of a request, in milliseconds. */
const timeoutMs = 10_000;

/** Interval in which due requests are sent, in milliseconds. */
const tickMs = 5;

/**
 * Sends requests at a fixed rate, whether earlier ones have responses or not, as independent members do. `interval.log`
 * gets the figures since its previous call.
 */
export async function sendAtRate(
  address: string,
  options: {
    perSecond: number;
    seconds: number;
    next: () => Request;
    interval?: { seconds: number; log: (arrived: ArrivalFigures) => void };
  },
): Promise<ArrivalFigures> {
  const { perSecond, seconds, next, interval } = options;
  const { hostname, port } = new URL(address);
  const idle: Connection[] = [];
  const all = new Set<Connection>();
  const whole = createEmptyFigures();
  let part = createEmptyFigures();
  const began = performance.now();
  let due = 0;
  let reportedAt = began;
  for (;;) {
    const now = performance.now();
    if (now - began >= seconds * 1_000) break;
    for (; due < ((now - began) / 1_000) * perSecond; due++) send(now);
    for (const connection of all) if (connection.hasWaited(now)) connection.destroy();
    if (interval !== undefined && now - reportedAt >= interval.seconds * 1_000) {
      interval.log(part);
      part = createEmptyFigures();
      reportedAt = now;
    }
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
  const end = performance.now() + timeoutMs;
  while ([...all].some((connection) => connection.isBusy) && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 50));
  for (const connection of all) connection.destroy();
  return whole;

  function send(now: number): void {
    count((arrived) => arrived.sent++);
    const connection = idle.pop() ?? open();
    if (connection === null) return count(({ statuses }) => add(statuses, 'no connection free'));
    connection.send(next(), now);
  }

  function open(): Connection | null {
    if (all.size >= maxConnections) return null;
    const connection = new Connection(hostname, Number(port), {
      onResponse: (status, milliseconds, keepsAlive) => {
        count((arrived) => {
          add(arrived.statuses, status);
          if (status.startsWith('2')) arrived.served.push(milliseconds);
          if (status === '503') arrived.refused.push(milliseconds);
        });
        if (keepsAlive) idle.push(connection);
      },
      onLost: () => count(({ statuses }) => add(statuses, 'unanswered')),
      onClosed: () => {
        all.delete(connection);
        const at = idle.indexOf(connection);
        if (at >= 0) idle.splice(at, 1);
      },
    });
    all.add(connection);
    return connection;
  }

  function count(what: (arrived: ArrivalFigures) => void): void {
    what(whole);
    what(part);
  }
}

const createEmptyFigures = (): ArrivalFigures => ({ sent: 0, statuses: {}, served: [], refused: [] });

function add(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

type ConnectionHandlers = {
  onResponse: (status: string, milliseconds: number, keepsAlive: boolean) => void;
  onLost: () => void;
  onClosed: () => void;
};

/** A connection that carries one request at a time. */
class Connection {
  isBusy = false;
  #startedAt = 0;
  #response = '';
  readonly #socket: net.Socket;
  readonly #host: string;

  constructor(host: string, port: number, { onResponse, onLost, onClosed }: ConnectionHandlers) {
    this.#host = `${host}:${port}`;
    this.#socket = net.connect(port, host).setNoDelay(true).setEncoding('latin1');
    this.#socket.on('data', (piece: string) => {
      this.#response += piece;
      if (!isCompleteResponse(this.#response)) return;
      const status = this.#response.slice(9, 12);
      const keepsAlive = !/\r\nconnection: close\r\n/iu.test(this.#response.slice(0, 4_000));
      this.#response = '';
      this.isBusy = false;
      onResponse(status, performance.now() - this.#startedAt, keepsAlive);
    });
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      if (this.isBusy) onLost();
      this.isBusy = false;
      onClosed();
    });
  }

  hasWaited(now: number): boolean {
    return this.isBusy && now - this.#startedAt > timeoutMs;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  send({ method, path, cookie, body = '' }: Request, now: number): void {
    this.isBusy = true;
    this.#startedAt = now;
    const head = [
      `${method} ${path} HTTP/1.1`,
      `host: ${this.#host}`,
      ...(cookie === '' ? [] : [`cookie: ${cookie}`]),
      ...(body === '' ? [] : ['content-type: application/json']),
      ...(method === 'GET' ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
    ];
    this.#socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
}
