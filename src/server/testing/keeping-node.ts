import { getRequestListener } from '@hono/node-server';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createApp } from '#server/app.ts';
import { answerInFront, keepInMemory, type Kept } from '#server/kept.ts';
import { openDatabase } from '#server/platform/database.ts';
import { listen } from '#server/platform/http-server.ts';
import { type EventStream, followEvents } from '#server/platform/stream.ts';
import type { TestDatabase } from './database.ts';
import type { Member } from './member.ts';
import { defaults } from './server.ts';

/** A Parley in this process that keeps pages, as `node.ts` puts it together, without live sockets. */
export type KeepingNode = {
  address: string;
  kept: Kept;
  stream: EventStream;
  /** The browser of a member, with the cookies that it has wherever it goes. */
  browserOf: (member: Member) => Member;
  /** Lets the node hear of nothing until the function that comes back is called. */
  deafen: () => Promise<() => void>;
  stop: () => Promise<void>;
};

export async function startKeepingNode(
  { connection }: TestDatabase,
  maxBytes = 16 * 1_024 * 1_024,
): Promise<KeepingNode> {
  const settings = defaults;
  const log = pino({ level: 'error' });
  const db = openDatabase({ connection, size: 8 });
  // Of its own, so that it can be held up.
  const listening = openDatabase({ connection, size: 1 });
  let kept: Kept | undefined;
  const stream = await followEvents({
    db: listening,
    connection,
    log,
    onEvents: (events) => kept?.changed(events),
    onGap: () => kept?.clear(),
  });
  kept = keepInMemory({ db, settings, stream, maxBytes });
  const app = createApp({ db, settings, log, position: stream.position, kept });
  const behind = getRequestListener(app.fetch);
  const handler = await answerInFront({ kept, settings, stream, metrics: undefined, behind });
  const http = await listen(handler, '127.0.0.1', 0);
  return {
    address: http.address,
    kept,
    stream,
    browserOf(member) {
      const there = member.at(http.address);
      there.cookies = member.cookies;
      return there;
    },
    async deafen() {
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      void listening.connection().execute(async () => {
        begin();
        await over;
      });
      onTestFinished(() => end());
      await begun;
      return end;
    },
    async stop() {
      http.cutOff();
      await http.stop(0);
      await stream.stop();
      await Promise.all([db.destroy(), listening.destroy()]);
    },
  };
}
