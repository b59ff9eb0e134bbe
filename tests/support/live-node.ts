import { getRequestListener } from '@hono/node-server';
import { pino } from 'pino';
import { io, type Socket } from 'socket.io-client';
import { onTestFinished } from 'vitest';
import { createAccounts, getActiveSuspension } from '#server/identity/accounts.ts';
import { createAuth } from '#server/identity/auth.ts';
import { createApp } from '#server/app.ts';
import { openSiteSettings } from '#server/core/site-settings.ts';
import { openDatabase } from '#server/core/database.ts';
import { startHttpServer } from '#server/core/http-server.ts';
import { type LiveServer, startLiveServer } from '#server/core/live.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { createEventTexts } from '#server/posts/event-texts.ts';
import { questionExists } from '#server/posts/questions-queries.ts';
import { followEventStream } from '#server/core/event-stream.ts';
import { startTypingTracker } from '#server/core/live-typing-presence.ts';
import type { SubscribeResult, Topic, TypingPresence } from '#shared/core/events.ts';
import type { TestDatabase } from './database.ts';
import type { ApiClient } from './member.ts';
import { cheapPasswordCost } from './cheap-passwords.ts';
import { defaultSettings } from './server.ts';

/** Shared by the nodes of a test, in this process or in others: a session of one is valid on all. */
export const testSecret = 'a secret that all nodes of a test know, long enough to be one';

const settings: OperatorSettings = { ...defaultSettings, secret: testSecret };

export type LiveNode = { address: string; live: LiveServer; stop: () => Promise<void> };

/**
 * Starts a node with its sockets in this process, assembled as in `serve`.
 * @param beforeAdmit runs before a socket with a valid session is admitted.
 * @param beforeTypingCheck runs before it is checked whether typing may be shown.
 */
export async function startLiveNode(
  { connection }: TestDatabase,
  {
    beforeAdmit = () => Promise.resolve(),
    beforeTypingCheck = () => Promise.resolve(),
  }: { beforeAdmit?: () => Promise<unknown>; beforeTypingCheck?: () => Promise<unknown> } = {},
): Promise<LiveNode> {
  const db = openDatabase({ connection, maxConnections: 4 });
  const log = pino({ level: 'error' });
  let live: LiveServer | undefined;
  const stream = await followEventStream({
    db,
    connection,
    log,
    addTexts: { live: createEventTexts(db), missed: createEventTexts(db) },
    onEvents: (events, position) => live?.deliver(events, position),
    onGap: (position) => live?.announceGap(position),
  });
  const typingPresence = startTypingTracker({ db, connection, log });
  const siteSettings = await openSiteSettings(db);
  const app = createApp({
    db,
    siteSettings,
    settings,
    log,
    position: stream.position,
    passwordCost: cheapPasswordCost,
  });
  const http = await startHttpServer(getRequestListener(app.fetch), '127.0.0.1', 0);
  const accounts = createAccounts({ db, auth: createAuth(db, settings), settings });
  const started = startLiveServer({
    server: http.server,
    stream,
    typingPresence,
    async isTypingShown({ memberStatus }, id) {
      await beforeTypingCheck();
      return getActiveSuspension(memberStatus) === null && questionExists(db, id);
    },
    async authenticate(headers) {
      const viewer = await accounts.viewer(headers);
      await beforeAdmit();
      return viewer?.viewer ?? null;
    },
    allowsOrigin: () => true,
  });
  live = started;
  return {
    address: http.address,
    live: started,
    async stop() {
      await started.stop();
      http.closeConnections();
      await http.stop(0);
      await typingPresence.stop();
      await stream.stop();
      await db.destroy();
    },
  };
}

/** The cookies of a signed-in caller, as a header. */
export const cookieHeader = (caller: ApiClient) =>
  [...caller.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

/** A browser's socket to a node. */
export class LiveClient {
  /** Counts of typing members, by topic, in order. */
  readonly typingCounts = new Map<Topic, number[]>();
  readonly socket: Socket;
  /** Resolves with the reason when the connection ends or is rejected. */
  readonly ended: Promise<string>;
  readonly connected: Promise<void>;

  constructor(address: string, caller: ApiClient) {
    this.socket = io(address, {
      path: '/api/live',
      transports: ['websocket'],
      extraHeaders: { cookie: cookieHeader(caller) },
      forceNew: true,
      reconnection: false,
    });
    this.socket.on('typing', ({ topic, count }: TypingPresence) => {
      this.typingCounts.set(topic, [...(this.typingCounts.get(topic) ?? []), count]);
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

  subscribe(topic: unknown, since = ''): Promise<SubscribeResult> {
    return this.socket.emitWithAck('subscribe', { topic, since });
  }

  /** The last count received for a topic; 0 if none was received. */
  typingCount(topic: Topic): number {
    return this.typingCounts.get(topic)?.at(-1) ?? 0;
  }

  sendTyping(topic: unknown, going: unknown = true): void {
    this.socket.emit('typing', topic, going);
  }

  close(): void {
    this.socket.disconnect();
  }
}

/** Opens a socket and waits until it is subscribed to the topics; closed after the test. */
export async function openLiveClient(
  address: string,
  caller: ApiClient,
  ...topics: Topic[]
): Promise<LiveClient> {
  const listener = new LiveClient(address, caller);
  onTestFinished(() => listener.close());
  await listener.connected;
  for (const topic of topics) {
    const answer = await listener.subscribe(topic);
    if (!answer.ok) throw new Error(`${topic}: ${answer.reason}`);
  }
  return listener;
}
