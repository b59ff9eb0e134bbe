import net from 'node:net';

/** A request of a measurement; `member` is the index of the member's cookie. */
export type Request = {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  path: string;
  member: number;
  /** The accepted encodings; those of a browser if absent. */
  encoding?: 'identity';
  /** The network address that a proxy would send, since visitors are limited by network. */
  network?: string;
  body?: string;
};

export type LoadOrder = {
  port: number;
  cookies: readonly string[];
  /** Sent in this order from index `from` on, repeated from the start until time is up. */
  requests: readonly Request[];
  from: number;
  connections: number;
  /** Duration in seconds, or 0 to send each request once. */
  seconds: number;
  /** Responses during this time are not counted. */
  warmUp: number;
};

/** The result of a load. Times are milliseconds from sending to the last byte. */
export type LoadResult = {
  requests: number;
  seconds: number;
  /** Responses other than 2xx and 304, by status. */
  refused: Record<string, number>;
  bytes: number;
  median: number;
  p90: number;
  p95: number;
  p99: number;
  most: number;
  /** The time of each request in order, if each was sent once. */
  times: number[];
  /** The index of the request that would come next. */
  next: number;
  /** CPU time of the client in milliseconds. */
  cpuMs: number;
};

/**
 * The load client: a separate process with keep-alive connections that each send one request at a time. It reads as
 * little as possible of the responses, since it shares the CPUs with the server.
 */
if (process.send !== undefined) {
  process.on('message', (order: LoadOrder) => {
    void runLoad(order).then((loaded) => process.send?.(loaded));
  });
}

async function runLoad(order: LoadOrder): Promise<LoadResult> {
  const began = performance.now();
  const before = process.cpuUsage();
  const once = order.seconds === 0;
  const counted = once ? began : began + order.warmUp * 1_000;
  const end = once ? Number.POSITIVE_INFINITY : counted + order.seconds * 1_000;
  const times: number[] = [];
  const inOrder: number[] = [];
  const refused: Record<string, number> = {};
  let [next, bytes, last] = [order.from, 0, counted];
  const take = () => {
    if (once ? next - order.from >= order.requests.length : performance.now() >= end) return undefined;
    return next++;
  };
  const note = (place: number, sent: number, { status, length }: ParsedResponse) => {
    const now = performance.now();
    if (once) inOrder[place - order.from] = now - sent;
    if (sent < counted || now > end) return;
    times.push(now - sent);
    last = now;
    bytes += length;
    if ((status < 200 || status > 299) && status !== 304) refused[status] = (refused[status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: order.connections }, () => runConnection(order, take, note)));
  const sorted = Float64Array.from(times).toSorted();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const { user, system } = process.cpuUsage(before);
  return {
    requests: times.length,
    // Without responses, the whole duration counts.
    seconds: times.length === 0 ? order.seconds : (last - counted) / 1_000,
    refused,
    bytes,
    median: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    most: at(1),
    times: inOrder,
    next,
    cpuMs: (user + system) / 1_000,
  };
}

type ParsedResponse = { status: number; length: number; closes: boolean };

/** A connection that sends the next request when the previous response is complete. */
function runConnection(
  { port, requests, cookies }: LoadOrder,
  take: () => number | undefined,
  note: (place: number, sent: number, answered: ParsedResponse) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    connect();

    function connect(): void {
      const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
      let place = 0;
      let sent = 0;
      let pending: Buffer | null = null;
      const send = () => {
        const taken = take();
        if (taken === undefined) {
          socket.end();
          resolve();
          return;
        }
        place = taken;
        const request = requests[place % requests.length] as Request;
        sent = performance.now();
        socket.write(textOf(request, cookies, port), 'latin1');
      };
      const lost = () => reject(new Error('the server closed a connection'));
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('close', lost);
      socket.on('data', (chunk: Buffer) => {
        pending = pending === null ? chunk : Buffer.concat([pending, chunk]);
        const answered = parseResponse(pending);
        if (answered === undefined) return;
        pending = null;
        note(place, sent, answered);
        if (!answered.closes) return send();
        // An overloaded server closes connections whose requests it does not read.
        socket.off('close', lost);
        socket.destroy();
        connect();
      });
    }
  });
}

/** What browsers accept. */
const browserEncodings = 'gzip, deflate, br, zstd';

function textOf(
  { method, path, member, encoding, network, body }: Request,
  cookies: readonly string[],
  port: number,
): string {
  const cookie = cookies[member % cookies.length];
  const optional = [
    ...(cookie === undefined ? [] : [`cookie: ${cookie}\r\n`]),
    ...(network === undefined ? [] : [`x-forwarded-for: ${network}\r\n`]),
  ].join('');
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept-encoding: ${encoding ?? browserEncodings}\r\naccept: application/json\r\n${optional}`;
  return body === undefined
    ? `${head}\r\n`
    : `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** A complete response; undefined while more bytes are expected. */
function parseResponse(bytes: Buffer): ParsedResponse | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  const closes = /\r\nconnection: *close/iu.test(head);
  const length = /\r\ncontent-length: *(\d+)/iu.exec(head)?.[1];
  if (length !== undefined) {
    const whole = end + 4 + Number(length);
    return bytes.length >= whole ? { status, length: whole, closes } : undefined;
  }
  if (!/\r\ntransfer-encoding: *chunked/iu.test(head)) return { status, length: end + 4, closes };
  return bytes.toString('latin1', Math.max(end + 4, bytes.length - 5)) === '0\r\n\r\n'
    ? { status, length: bytes.length, closes }
    : undefined;
}
