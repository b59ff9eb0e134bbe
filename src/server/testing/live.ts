import { getRequestListener } from '@hono/node-server';
import { pino } from 'pino';
import { io, type Socket } from 'socket.io-client';
import { onTestFinished } from 'vitest';
import { createAccounts } from '#server/accounts/accounts.ts';
import { createAuth } from '#server/accounts/auth.ts';
import { createApp } from '#server/app.ts';
import { openDatabase } from '#server/platform/database.ts';
import { listen } from '#server/platform/http-server.ts';
import { type Live, startLive } from '#server/platform/live.ts';
import type { Settings } from '#server/platform/settings.ts';
import { followEvents } from '#server/platform/stream.ts';
import { followWriters } from '#server/platform/writers.ts';
import type { Subscribed, Topic, Writing } from '#shared/events.ts';
import type { TestDatabase } from './database.ts';
import type { Caller } from './member.ts';
import { quickPasswords } from './quick-passwords.ts';
import { defaults } from './server.ts';

/** Known to the nodes of a test, in this process or in their own: a session of one is a session of all. */
export const secret = 'a secret that all nodes of a test know, long enough to be one';

const settings: Settings = { ...defaults, secret };

export type LiveNode = { address: string; live: Live; stop: () => Promise<void> };

/**
 * A node with its sockets, in this process, as `serve` puts it together.
 * @param admitting holds up every socket whose session was found to be good.
 */
export async function startLiveNode(
  { connection }: TestDatabase,
  admitting: () => Promise<unknown> = () => Promise.resolve(),
): Promise<LiveNode> {
  const db = openDatabase({ connection, size: 4 });
  const log = pino({ level: 'error' });
  let live: Live | undefined;
  const stream = await followEvents({
    db,
    connection,
    log,
    onEvents: (events, position) => live?.tell(events, position),
    onGap: (position) => live?.tellMissed(position),
  });
  const writers = followWriters({ db, connection, log });
  const app = createApp({ db, settings, log, position: stream.position, passwordCost: quickPasswords });
  const http = await listen(getRequestListener(app.fetch), '127.0.0.1', 0);
  const accounts = createAccounts({ db, auth: createAuth(db, settings), settings });
  const started = startLive({
    server: http.server,
    stream,
    writers,
    async authenticate(headers) {
      const found = await accounts.viewer(headers);
      await admitting();
      return found?.viewer ?? null;
    },
    allowsOrigin: () => true,
  });
  live = started;
  return {
    address: http.address,
    live: started,
    async stop() {
      await started.stop();
      http.cutOff();
      await http.stop(0);
      await writers.stop();
      await stream.stop();
      await db.destroy();
    },
  };
}

/** The cookies of somebody who is signed in, as a header. */
export const cookieOf = (caller: Caller) =>
  [...caller.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

/** A browser's socket to a node. */
export class Listener {
  /** The counts of writers it was told, by topic. */
  readonly told = new Map<Topic, number[]>();
  readonly socket: Socket;
  /** Resolves with the reason when the connection ends, or is refused. */
  readonly ended: Promise<string>;
  readonly connected: Promise<void>;

  constructor(address: string, caller: Caller) {
    this.socket = io(address, {
      path: '/api/live',
      transports: ['websocket'],
      extraHeaders: { cookie: cookieOf(caller) },
      forceNew: true,
      reconnection: false,
    });
    this.socket.on('writing', ({ topic, count }: Writing) => {
      this.told.set(topic, [...(this.told.get(topic) ?? []), count]);
    });
    const refused = new Promise<string>((resolve) =>
      this.socket.on('connect_error', (error) => resolve(error.message)),
    );
    this.connected = Promise.race([
      new Promise<void>((resolve) => this.socket.on('connect', resolve)),
      refused.then((reason) => {
        throw new Error(reason);
      }),
    ]);
    this.connected.catch(() => {});
    const closed = new Promise<string>((resolve) => this.socket.on('disconnect', resolve));
    this.ended = Promise.race([refused, closed]);
  }

  subscribe(topic: unknown): Promise<Subscribed> {
    return this.socket.emitWithAck('subscribe', { topic, since: '' });
  }

  /** The last count it was told of a topic; 0 where it was told none. */
  count(topic: Topic): number {
    return this.told.get(topic)?.at(-1) ?? 0;
  }

  writes(topic: unknown, going: unknown = true): void {
    this.socket.emit('writing', topic, going);
  }

  close(): void {
    this.socket.disconnect();
  }
}

/** Opens a socket and waits until it listens to the topics; closed with the test. */
export async function listening(address: string, caller: Caller, ...topics: Topic[]): Promise<Listener> {
  const listener = new Listener(address, caller);
  onTestFinished(() => listener.close());
  await listener.connected;
  for (const topic of topics) {
    const answer = await listener.subscribe(topic);
    if (!answer.ok) throw new Error(`${topic}: ${answer.reason}`);
  }
  return listener;
}
