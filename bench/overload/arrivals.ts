import net from 'node:net';
import { performance } from 'node:perf_hooks';
import { isCompleteResponse, type Request } from '../write-throughput/load.ts';

/** What became of the requests of one stretch of time. Times in milliseconds. */
export type ArrivalFigures = {
  sent: number;
  /** Answers by their status; what was not answered in time, or whose connection broke; what found no connection free. */
  statuses: Record<string, number>;
  /** Of what was done (2xx), and of what was refused for too much to do (503). */
  served: number[];
  refused: number[];
};

/** Connections at most; whoever comes then is told nothing, as behind a full balancer. */
const maxConnections = 2_000;

/** Nobody waits longer for an answer, in milliseconds. */
const timeoutMs = 10_000;

/** How often the requests that are due are sent, in milliseconds. */
const tickMs = 5;

/**
 * Requests that come at their own pace, so many a second, whether earlier ones are answered or not: as members do who know
 * nothing of each other. `stretch` is told what happened since it was told last.
 */
export async function sendAtRate(
  address: string,
  options: {
    perSecond: number;
    seconds: number;
    next: () => Request;
    stretch?: { seconds: number; tell: (arrived: ArrivalFigures) => void };
  },
): Promise<ArrivalFigures> {
  const { perSecond, seconds, next, stretch } = options;
  const { hostname, port } = new URL(address);
  const idle: Connection[] = [];
  const all = new Set<Connection>();
  const whole = nothing();
  let part = nothing();
  const began = performance.now();
  let due = 0;
  let reportedAt = began;
  for (;;) {
    const now = performance.now();
    if (now - began >= seconds * 1_000) break;
    for (; due < ((now - began) / 1_000) * perSecond; due++) send(now);
    for (const connection of all) if (connection.hasWaited(now)) connection.giveUp();
    if (stretch !== undefined && now - reportedAt >= stretch.seconds * 1_000) {
      stretch.tell(part);
      part = nothing();
      reportedAt = now;
    }
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
  const end = performance.now() + timeoutMs;
  while ([...all].some((connection) => connection.isBusy) && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 50));
  for (const connection of all) connection.giveUp();
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
      answered: (status, milliseconds, stays) => {
        count((arrived) => {
          add(arrived.statuses, status);
          if (status.startsWith('2')) arrived.served.push(milliseconds);
          if (status === '503') arrived.refused.push(milliseconds);
        });
        if (stays) idle.push(connection);
      },
      lost: () => count(({ statuses }) => add(statuses, 'unanswered')),
      closed: () => {
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

const nothing = (): ArrivalFigures => ({ sent: 0, statuses: {}, served: [], refused: [] });

function add(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

type Listening = {
  answered: (status: string, milliseconds: number, stays: boolean) => void;
  lost: () => void;
  closed: () => void;
};

/** One connection that carries one request after the other. */
class Connection {
  isBusy = false;
  #begun = 0;
  #answer = '';
  readonly #socket: net.Socket;
  readonly #host: string;

  constructor(host: string, port: number, { answered, lost, closed }: Listening) {
    this.#host = `${host}:${port}`;
    this.#socket = net.connect(port, host).setNoDelay(true).setEncoding('latin1');
    this.#socket.on('data', (piece: string) => {
      this.#answer += piece;
      if (!isCompleteResponse(this.#answer)) return;
      const status = this.#answer.slice(9, 12);
      const stays = !/\r\nconnection: close\r\n/iu.test(this.#answer.slice(0, 4_000));
      this.#answer = '';
      this.isBusy = false;
      answered(status, performance.now() - this.#begun, stays);
    });
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      if (this.isBusy) lost();
      this.isBusy = false;
      closed();
    });
  }

  hasWaited(now: number): boolean {
    return this.isBusy && now - this.#begun > timeoutMs;
  }

  giveUp(): void {
    this.#socket.destroy();
  }

  send({ method, path, cookie, body = '' }: Request, now: number): void {
    this.isBusy = true;
    this.#begun = now;
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
