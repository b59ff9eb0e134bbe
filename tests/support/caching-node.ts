import { getRequestListener } from '@hono/node-server';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createApp } from '#server/app.ts';
import { openDatabase } from '#server/core/database.ts';
import { createNodeCaches, type NodeCaches, serveCachedFirst } from '#server/node-caches.ts';
import { startHttpServer } from '#server/core/http-server.ts';
import { openSiteSettings, type SiteSettings } from '#server/core/site-settings.ts';
import { type EventStream, followEventStream } from '#server/core/event-stream.ts';
import type { RequestLimits } from '#server/core/request-limits.ts';
import type { TestDatabase } from './database.ts';
import type { Member } from './member.ts';
import { defaultSettings } from './server.ts';

/** A node in this process with a response cache, assembled as in `node.ts`, without live sockets. */
export type CachingNode = {
  address: string;
  caches: NodeCaches;
  siteSettings: SiteSettings;
  stream: EventStream;
  /** The member's browser on this node, with the same cookies. */
  browserOf: (member: Member) => Member;
  /** Stops delivering events to the node until the returned function is called. */
  pauseEvents: () => Promise<() => void>;
  stop: () => Promise<void>;
};

export async function startCachingNode(
  { connection }: TestDatabase,
  maxBytes = 16 * 1_024 * 1_024,
  requestLimits?: RequestLimits,
): Promise<CachingNode> {
  const settings = defaultSettings;
  const log = pino({ level: 'error' });
  const db = openDatabase({ connection, maxConnections: 8 });
  // A connection of its own, so that it can be paused.
  const listening = openDatabase({ connection, maxConnections: 1 });
  const siteSettings = await openSiteSettings(db);
  let caches: NodeCaches | undefined;
  const stream = await followEventStream({
    db: listening,
    connection,
    log,
    onEvents(events) {
      caches?.applyEvents(events);
      void siteSettings.applyEvents(events);
    },
    onGap: () => caches?.clear(),
  });
  caches = createNodeCaches({ db, settings, stream, maxBytes });
  const app = createApp({
    db,
    siteSettings,
    settings,
    log,
    position: stream.position,
    caches,
    requestLimits,
  });
  const handler = await serveCachedFirst(caches, {
    settings,
    position: stream.position,
    canRead: undefined,
    measure: undefined,
    next: getRequestListener(app.fetch),
  });
  const http = await startHttpServer(handler, '127.0.0.1', 0);
  return {
    address: http.address,
    caches,
    siteSettings,
    stream,
    browserOf(member) {
      const there = member.onServer(http.address);
      there.cookies = member.cookies;
      return there;
    },
    async pauseEvents() {
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
      http.closeConnections();
      await http.stop(0);
      await stream.stop();
      await Promise.all([db.destroy(), listening.destroy()]);
    },
  };
}
