import { once } from 'node:events';
import { WebSocket } from 'ws';

/**
 * Many lightweight sockets in one process, so that mainly the server is measured. Uses Socket.IO's protocol as far as
 * needed (https://socket.io/docs/v4/socket-io-protocol/), or plain WebSocket.
 */

export type ListenerCommand =
  | { do: 'open'; url: string; cookies: string[]; count: number; topic: string; since: string }
  | { do: 'open-bare'; url: string; count: number }
  | { do: 'report' }
  | { do: 'close' };

/** A message, and when each socket received it (milliseconds since 1970). */
export type ReceivedMessage = { text: string; at: number[] };
export type ListenerReply =
  | { opened: number }
  | { received: ReceivedMessage[]; closed: number }
  | { done: true };

/** Maximum concurrent handshakes. */
const maxConcurrentHandshakes = 100;

let sockets: WebSocket[] = [];
let received = new Map<string, ReceivedMessage>();
let closed = 0;

process.on('message', (order: ListenerCommand) => void runOrder(order));

async function runOrder(order: ListenerCommand): Promise<void> {
  if (order.do === 'close') {
    for (const socket of sockets) socket.terminate();
    [sockets, received, closed] = [[], new Map(), 0];
    return answer({ done: true });
  }
  if (order.do === 'report') {
    answer({ received: [...received.values()], closed });
    [received, closed] = [new Map(), 0];
    return;
  }
  await open(order);
  answer({ opened: sockets.length });
}

async function open(order: Extract<ListenerCommand, { do: 'open' | 'open-bare' }>): Promise<void> {
  let next = 0;
  const line = async () => {
    while (next < order.count) sockets.push(await openOne(order, next++));
  };
  await Promise.all(Array.from({ length: maxConcurrentHandshakes }, line));
}

async function openOne(order: Extract<ListenerCommand, { do: 'open' | 'open-bare' }>, index: number) {
  const cookie = order.do === 'open' ? (order.cookies[index % order.cookies.length] ?? '') : '';
  const socket = new WebSocket(order.url, { headers: { cookie }, perMessageDeflate: false });
  socket.on('close', () => closed++);
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  socket.on('error', reject);
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    if (order.do === 'open-bare' || text.startsWith('42["events"')) return note(text);
    // Engine.IO sends pings; Socket.IO sends a connect packet and acknowledges subscriptions.
    if (text === '2') socket.send('3');
    else if (text.startsWith('0')) socket.send('40');
    else if (text.startsWith('40'))
      socket.send(`420["subscribe",${JSON.stringify({ topic: order.topic, since: order.since })}]`);
    else if (text.startsWith('430')) resolve();
    else if (text.startsWith('44')) reject(new Error(text));
  });
  await once(socket, 'open');
  if (order.do === 'open') await ready;
  return socket;
}

function note(text: string): void {
  const at = performance.timeOrigin + performance.now();
  const known = received.get(text);
  if (known === undefined) received.set(text, { text, at: [at] });
  else known.at.push(at);
}

function answer(message: ListenerReply): void {
  process.send?.(message);
}
