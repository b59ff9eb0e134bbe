import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, type Socket } from 'socket.io';
import { io as connect } from 'socket.io-client';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { fanOut, encodeTextFrame } from './live-fan-out.ts';

/** A server and the sockets of two browsers, with the events they receive. */
async function twoReaders() {
  const http = createServer();
  const io = new Server(http, { transports: ['websocket'] });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const readers = await Promise.all(
    [1, 2].map(async () => {
      const received: unknown[] = [];
      const reader = connect(`http://127.0.0.1:${port}`, { transports: ['websocket'], forceNew: true });
      reader.on('events', (data) => received.push(data));
      reader.on('last', () => received.push('last'));
      await new Promise<void>((resolve) => reader.once('connect', resolve));
      return { reader, received };
    }),
  );
  onTestFinished(async () => {
    for (const { reader } of readers) reader.disconnect();
    await io.close();
  });
  const sockets: Socket[] = [...io.sockets.sockets.values()];
  return { sockets, readers };
}

test('delivers texts of every length unchanged and in order with ordinary messages', async () => {
  const { sockets, readers } = await twoReaders();
  const texts = ['', 'ä🙂', 'x'.repeat(90), 'y'.repeat(126), 'z'.repeat(70_000), 'é'.repeat(40_000), '"\\\n'];
  for (const text of texts) {
    for (const socket of sockets) socket.emit('events', `before ${text}`);
    fanOut(sockets, 'events', text);
  }
  for (const socket of sockets) socket.emit('last');
  const all = texts.length * 2 + 1;
  await expect.poll(() => readers.map(({ received }) => received.length)).toEqual([all, all]);
  for (const { received } of readers)
    expect(received).toEqual([...texts.flatMap((text) => [`before ${text}`, text]), 'last']);
});

test('skips a reader who has disconnected and delivers to the others', async () => {
  const { sockets, readers } = await twoReaders();
  const [disconnected, connected] = readers;
  disconnected?.reader.disconnect();
  fanOut(sockets, 'events', 1);
  await expect.poll(() => connected?.received).toEqual([1]);
  await expect.poll(() => sockets.filter((socket) => socket.connected).length).toBe(1);
  fanOut(sockets, 'events', 2);
  await expect.poll(() => connected?.received).toEqual([1, 2]);
  expect(disconnected?.received).toEqual([]);
});

test.each([0, 1, 125, 126, 65_535, 65_536, 100_000])('frames a text of %i bytes like ws does', (length) => {
  const text = 'p'.repeat(length);
  const { Sender } = WebSocket as unknown as {
    Sender: { frame: (data: Buffer, options: object) => Buffer[] };
  };
  const options = { fin: true, rsv1: false, opcode: 1, mask: false, readOnly: false };
  expect(encodeTextFrame(text).equals(Buffer.concat(Sender.frame(Buffer.from(text), options)))).toBe(true);
});
