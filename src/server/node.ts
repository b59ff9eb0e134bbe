import { projectRoot } from './core/paths.ts';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { getRequestListener } from '@hono/node-server';
import type pg from 'pg';
import type { Logger } from 'pino';
import packageJson from '#package.json' with { type: 'json' };
import { nodeApplicationPrefix } from './core/database-listen.ts';
import { createAccounts, createAuth, getActiveSuspension, type PasswordCost } from './identity/index.ts';
import { createApp } from './app.ts';
import { createEmptySearchCounter } from './discovery/index.ts';
import { type BackgroundJobs, startBackgroundJobs } from './jobs.ts';
import { getBackupMetrics, startBackupScheduler, startExportScheduler } from './operations/index.ts';
import { createNodeCaches, type NodeCaches, serveCachedFirst } from './node-caches.ts';
import { type ClockMonitor, describeClockSkew, monitorClock } from './core/database-clock.ts';
import type { Config } from './core/config.ts';
import { closePool, type Database, openSearchDatabase } from './core/database.ts';
import { createEventTexts, questionExists } from './posts/index.ts';
import { type HttpServer, startHttpServer } from './core/http-server.ts';
import { type LiveServer, startLiveServer } from './core/live.ts';
import { createMetrics, type Metrics } from './core/metrics.ts';
import type { MetricsSources } from './core/metrics-collectors.ts';
import { createObjectStore } from './core/object-store.ts';
import { openReplicas } from './postgres/index.ts';
import { openSiteSettings } from './core/site-settings.ts';
import { createRequestLimits } from './core/request-limits.ts';
import { monitorSystemLoad } from './core/system-load.ts';
import { createRecentPages } from './core/recent-pages.ts';
import { getSecurityHeaders } from './core/security-headers.ts';
import { createLoadShedding } from './core/load-shedding.ts';
import { isSameOrigin } from './core/same-origin.ts';
import type { OperatorSettings } from './core/operator-settings.ts';
import { type EventStream, followEventStream } from './core/event-stream.ts';
import type { DatabaseMonitor } from './core/database-monitor.ts';
import { startTypingTracker } from './core/live-typing-presence.ts';

/** Milliseconds that running requests may take after Parley starts to stop. */
const stopTimeoutMs = 10_000;

const bytesPerMegabyte = 1_024 * 1_024;

export type NodeOptions = {
  config: Config;
  settings: OperatorSettings;
  /** A database with all migrations applied. */
  db: Database;
  /** Collects statistics of the queries of `db`. */
  monitor: DatabaseMonitor;
  connection: pg.PoolConfig;
  log: Logger;
  /** Default: the full cost. */
  passwordCost: PasswordCost | undefined;
  /** Aborted when the node starts to stop. It is not ready from then on. */
  stopping: AbortSignal;
  /** Registers a step for stopping as soon as the part it stops has started. The steps run in reverse order. */
  onStop: (step: () => Promise<void>) => void;
};

/** A running Parley node. Any number of nodes can use one database. */
export type ParleyNode = {
  address: string;
  /** Keeps serving, but makes connections and sockets reconnect to other nodes within this time. */
  drain: (milliseconds: number) => void;
  /** Closes all connections immediately. */
  closeConnections: () => void;
};

/** Creates the parts of a node: event stream, replicas, API, pages, live sockets. */
export async function startNode(options: NodeOptions): Promise<ParleyNode> {
  const { config, settings, db, monitor, connection, log, stopping, onStop } = options;
  const clock = await monitorClock(db, log);
  onStop(async () => clock.stop());
  const urls = config.databaseReplicaUrls;
  const searchDb = openSearchDatabase({ connection, onStatement: monitor.onStatement });
  onStop(() => closePool(searchDb));
  const replicas = await openReplicas({
    db,
    searchDb,
    connection,
    urls,
    log,
    onStatement: monitor.onStatement,
  });
  onStop(async () => replicas?.stop());
  const emptySearches = createEmptySearchCounter(db);
  onStop(emptySearches.stop);
  const siteSettings = await openSiteSettings(db);
  let live: LiveServer | undefined;
  let background: BackgroundJobs | undefined;
  let caches: NodeCaches | undefined;
  const stream = await followEventStream({
    db,
    connection,
    application: `${nodeApplicationPrefix}${packageJson.version} ${config.nodeName}`,
    log,
    addTexts: { live: createEventTexts(db), missed: createEventTexts(db) },
    onEvents(events, position) {
      // First, because the subscribers of the event then read the data again.
      caches?.applyEvents(events);
      void siteSettings.applyEvents(events);
      live?.deliver(events, position);
      background?.onEvents(events);
    },
    onGap(position) {
      caches?.clear();
      void siteSettings.refresh();
      live?.announceGap(position);
    },
  });
  // A change before the stream started is not in it.
  await siteSettings.refresh();
  caches = createCaches(options, stream);
  onStop(() => stream.stop());
  const objectStore = config.objectStore && createObjectStore(config.objectStore, log);
  if (!config.isSending) log.warn('SENDING is off: no emails, push messages and web hooks are sent.');
  background = await startBackgroundJobs({
    db,
    connection,
    settings,
    siteSettings,
    email: config.isSending ? config.email : undefined,
    isSending: config.isSending,
    pictures: objectStore && { objectStore, pictureStore: config.pictureStore },
    log,
  });
  onStop(background.stop);
  startBackupsIfConfigured(options);
  startExportsIfConfigured(options);
  const webDirectory = path.join(projectRoot, 'dist/web');
  const isReady = () => live !== undefined && stream.isUpToDate() && !stopping.aborted;
  const requestLimits = config.rateLimits ? createRequestLimits() : undefined;
  let httpServer: HttpServer | undefined;
  const systemLoad = monitorSystemLoad({
    db,
    countWaiting: () => monitor.connections().waiting,
    waitUntilAccepted: async () => httpServer?.waitUntilAccepted(),
  });
  onStop(async () => systemLoad.stop());
  let shedCount = () => 0;
  const metrics = createNodeMetrics(config, caches, {
    isReady,
    countSockets: () => live?.countSockets() ?? 0,
    streamLagSeconds: stream.lagSeconds,
    database: monitor,
    jobs: background.jobs,
    replicas: replicas?.getStates,
    backups: config.backups && (() => getBackupMetrics(db)),
    overload: {
      level: systemLoad.level,
      shedCount: () => shedCount(),
      rejectedCount: () => requestLimits?.rejectedCount() ?? 0,
    },
  });
  const recentPages = await createRecentPages({
    settings,
    hasPublicReading: () => siteSettings.get('publicReading'),
    canVisit: requestLimits?.canVisit,
    measure: metrics?.observe,
  });
  const app = createApp({
    db,
    siteSettings,
    searchDb,
    emptySearches,
    settings,
    log,
    position: stream.position,
    isReady,
    healthWarning: () => clockWarning(clock),
    metrics,
    replicas,
    caches,
    background,
    objectStore,
    pictureStore: config.pictureStore,
    hasBackups: config.backups !== undefined,
    hasExports: config.exports !== undefined,
    recentPages,
    requestLimits,
    ...(options.passwordCost && { passwordCost: options.passwordCost }),
    ...(existsSync(webDirectory) && { webDirectory }),
  });
  const shedding = await createLoadShedding({
    systemLoad,
    viewerOf: caches?.sessions.find ?? (() => undefined),
    headers: await getSecurityHeaders(settings, '/'),
    // Requests by HTTP/1.0 may have no Host header. The health checks of HAProxy send none by default.
    next: getRequestListener(app.fetch, { hostname: 'localhost' }),
  });
  shedCount = shedding.rejectedCount;
  const handler = await serveCachedFirst(caches, {
    settings,
    position: stream.position,
    canRead: requestLimits?.canRead,
    measure: metrics?.observe,
    next: recentPages.serve(shedding.handler),
  });
  const http = await startHttpServer(handler, config.host, config.port);
  httpServer = http;
  const sockets = startLiveSockets(options, { http, stream });
  live = sockets;
  // In parallel, because a disconnected socket must not reconnect to this node.
  onStop(async () => void (await Promise.all([http.stop(stopTimeoutMs), sockets.stop()])));
  return {
    address: http.address,
    drain(milliseconds) {
      http.drain();
      sockets.drain(milliseconds);
    },
    closeConnections: http.closeConnections,
  };
}

/** The warning of /readyz about the clock; null if there is none. */
function clockWarning(clock: ClockMonitor): string | null {
  const ahead = clock.aheadSeconds();
  return ahead === 0 ? null : describeClockSkew(ahead);
}

/** Returns undefined if caching is switched off. */
function createCaches({ config, settings, db }: NodeOptions, stream: EventStream): NodeCaches | undefined {
  if (config.cacheSizeMb === 0) return undefined;
  return createNodeCaches({ db, settings, stream, maxBytes: config.cacheSizeMb * bytesPerMegabyte });
}

function startBackupsIfConfigured({ config, db, connection, log, onStop }: NodeOptions): void {
  const { backups: schedule, nodeName: node } = config;
  if (schedule === undefined) return;
  const { version } = packageJson;
  const migrationsDirectory = path.join(projectRoot, 'migrations');
  const backups = startBackupScheduler({ schedule, db, connection, node, version, migrationsDirectory, log });
  onStop(backups.stop);
}

function startExportsIfConfigured({ config, db, connection, log, onStop }: NodeOptions): void {
  const { exports: schedule, nodeName: node, settings, port, objectStore } = config;
  if (schedule === undefined) return;
  const origin = settings.publicUrl ?? `http://localhost:${port}`;
  onStop(startExportScheduler({ schedule, db, connection, objectStore, origin, node, log }).stop);
}

function startLiveSockets(
  { db, connection, settings, log, onStop }: NodeOptions,
  { http, stream }: { http: HttpServer; stream: EventStream },
): LiveServer {
  const typingPresence = startTypingTracker({ db, connection, log });
  onStop(() => typingPresence.stop());
  const accounts = createAccounts({ db, auth: createAuth(db, settings), settings });
  return startLiveServer({
    server: http.server,
    stream,
    typingPresence,
    isTypingShown: async ({ memberStatus }, id) =>
      getActiveSuspension(memberStatus) === null && questionExists(db, id),
    authenticate: async (headers) => (await accounts.viewer(headers))?.viewer ?? null,
    allowsOrigin: (headers) => isSameOrigin(settings, headers),
  });
}

/** Returns undefined if no metrics are collected. */
function createNodeMetrics(
  { metricsToken: token, nodeName: name }: Config,
  caches: NodeCaches | undefined,
  parts: Omit<MetricsSources, 'node' | 'cache'>,
): Metrics | undefined {
  if (token === undefined) return undefined;
  const responses = caches?.responses;
  const cache = responses && {
    bytes: () => responses.bytes,
    documentsRead: () => responses.documentsRead,
    lookups: () => responses.lookups,
  };
  return createMetrics({ token, node: { name, version: packageJson.version }, cache, ...parts });
}
