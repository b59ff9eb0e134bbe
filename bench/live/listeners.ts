import { once } from 'node:events';
import { WebSocket } from 'ws';

/**
 * Many sockets in one process, as light as they can be, so that the server is what is measured. Speaks Socket.IO's
 * protocol as far as needed (https://socket.io/docs/v4/socket-io-protocol/), or plain WebSocket.
 */

export type ListenerCommand =
  | { do: 'open'; url: string; cookies: string[]; count: number; topic: string; since: string }
  | { do: 'open-bare'; url: string; count: number }
  | { do: 'report' }
  | { do: 'close' };

/** Of one message: what it said, and when each socket had it (milliseconds since 1970). */
export type ReceivedMessage = { text: string; at: number[] };
export type ListenerReply =
  | { opened: number }
  | { heard: ReceivedMessage[]; closed: number }
  | { done: true };

/** Handshakes under way at the same time. */
const maxConcurrentHandshakes = 100;

let sockets: WebSocket[] = [];
let heard = new Map<string, ReceivedMessage>();
let closed = 0;

process.on('message', (order: ListenerCommand) => void runOrder(order));

async function runOrder(order: ListenerCommand): Promise<void> {
  if (order.do === 'close') {
    for (const socket of sockets) socket.terminate();
    [sockets, heard, closed] = [[], new Map(), 0];
    return answer({ done: true });
  }
  if (order.do === 'report') {
    answer({ heard: [...heard.values()], closed });
    [heard, closed] = [new Map(), 0];
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
    // Engine.IO asks whether one is still there; Socket.IO says hello, and acknowledges a subscription.
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
  const known = heard.get(text);
  if (known === undefined) heard.set(text, { text, at: [at] });
  else known.at.push(at);
}

function answer(message: ListenerReply): void {
  process.send?.(message);
}
