import { projectRoot } from './core/paths.ts';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { getRequestListener } from '@hono/node-server';
import type pg from 'pg';
import type { Logger } from 'pino';
import packageJson from '#package.json' with { type: 'json' };
import { createAccounts } from './identity/accounts.ts';
import { createAuth } from './identity/auth.ts';
import type { PasswordCost } from './identity/passwords.ts';
import { createApp } from './app.ts';
import { type BackgroundJobs, startBackgroundJobs } from './jobs.ts';
import { getBackupMetrics, startBackupScheduler } from './operations/backup-scheduler.ts';
import { createCachedHandler, createNodeCaches, type NodeCaches } from './cached-routes.ts';
import { type ClockMonitor, describeClockSkew, monitorClock } from './core/database-clock.ts';
import type { Config } from './core/config.ts';
import { closePool, type Database, openSearchDatabase } from './core/database.ts';
import { type HttpServer, startHttpServer } from './core/http-server.ts';
import { type LiveServer, startLiveServer } from './core/live.ts';
import { createMetrics, type Metrics } from './core/metrics.ts';
import type { MetricsSources } from './core/metrics-collectors.ts';
import { openReplicas } from './postgres/replicas.ts';
import { createRequestLimits } from './core/request-limits.ts';
import { deleteExpiredRateLimits } from './core/rate-limits.ts';
import { monitorSystemLoad } from './core/system-load.ts';
import { getSecurityHeaders } from './core/security-headers.ts';
import { createLoadShedding } from './core/load-shedding.ts';
import { isSameOrigin } from './core/same-origin.ts';
import type { SiteSettings } from './core/site-settings.ts';
import { type EventStream, followEventStream } from './core/event-stream.ts';
import type { DatabaseMonitor } from './core/database-monitor.ts';
import { startTypingTracker } from './core/live-typing-presence.ts';
import { deleteOldKeys } from './posts/idempotency.ts';

/** How long running requests may take once Parley is told to stop, in milliseconds. */
const stopTimeoutMs = 10_000;

const bytesPerMegabyte = 1_024 * 1_024;

const hourMs = 60 * 60 * 1_000;

export type NodeOptions = {
  config: Config;
  settings: SiteSettings;
  /** Migrated. */
  db: Database;
  /** Told of what `db` does. */
  monitor: DatabaseMonitor;
  connection: pg.PoolConfig;
  log: Logger;
  /** By default the full cost. */
  passwordCost: PasswordCost | undefined;
  /** Aborted when the node has been told to stop; it is not ready from then on. */
  stopping: AbortSignal;
  /** Given each step of stopping as soon as there is something to stop; to be done in the opposite order. */
  onStop: (step: () => Promise<void>) => void;
};

/** One Parley of any number on a database, as it serves. */
export type ParleyNode = {
  address: string;
  /** Serves on, but asks connections to end and sockets to go elsewhere within so many milliseconds. */
  drain: (milliseconds: number) => void;
  /** Cuts off all requests now. */
  closeConnections: () => void;
};

/** Puts the parts of a node together: the stream of events, the replicas, the API, the pages, the live sockets. */
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
  let live: LiveServer | undefined;
  let background: BackgroundJobs | undefined;
  let caches: NodeCaches | undefined;
  const stream = await followEventStream({
    db,
    connection,
    log,
    onEvents(events, position) {
      // First: who is told of something asks for it.
      caches?.applyEvents(events);
      live?.deliver(events, position);
      background?.onEvents(events);
    },
    onGap(position) {
      caches?.clear();
      live?.announceGap(position);
    },
  });
  caches = createCaches(options, stream);
  onStop(() => stream.stop());
  const deleteExpired = () => Promise.all([deleteOldKeys(db), deleteExpiredRateLimits(db)]);
  const housekeeping = setInterval(() => void deleteExpired().catch(() => {}), hourMs);
  onStop(async () => clearInterval(housekeeping));
  background = await startBackgroundJobs({ db, connection, settings, email: config.email, log });
  onStop(background.stop);
  startBackupsIfConfigured(options);
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
  const app = createApp({
    db,
    searchDb,
    settings,
    log,
    position: stream.position,
    isReady,
    healthWarning: () => clockWarning(clock),
    metrics,
    replicas,
    caches,
    background,
    requestLimits,
    ...(options.passwordCost && { passwordCost: options.passwordCost }),
    ...(existsSync(webDirectory) && { webDirectory }),
  });
  const shedding = await createLoadShedding({
    systemLoad,
    viewerOf: caches?.sessions.find ?? (() => undefined),
    headers: await getSecurityHeaders(settings, '/'),
    next: getRequestListener(app.fetch),
  });
  shedCount = shedding.rejectedCount;
  const { handler: behind } = shedding;
  const handler =
    caches === undefined
      ? behind
      : await createCachedHandler({ kept: caches, settings, floods: requestLimits, stream, metrics, behind });
  const http = await startHttpServer(handler, config.host, config.port);
  httpServer = http;
  const sockets = startLiveSockets(options, { http, stream });
  live = sockets;
  // At the same time: a socket that is let go must not find its way back here.
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

/** What /readyz says of the clock; null where there is nothing to say. */
function clockWarning(clock: ClockMonitor): string | null {
  const ahead = clock.aheadSeconds();
  return ahead === 0 ? null : describeClockSkew(ahead);
}

/** Undefined where nothing is to be kept. */
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
    authenticate: async (headers) => (await accounts.viewer(headers))?.viewer ?? null,
    allowsOrigin: (headers) => isSameOrigin(settings, headers),
  });
}

/** Undefined where nobody asks for them. */
function createNodeMetrics(
  { metricsToken: token, nodeName: name }: Config,
  kept: NodeCaches | undefined,
  parts: Omit<MetricsSources, 'node' | 'cache'>,
): Metrics | undefined {
  if (token === undefined) return undefined;
  const models = kept?.responses;
  const pages = models && {
    bytes: () => models.bytes,
    pagesRead: () => models.pagesRead,
    viewerReads: () => models.viewerReads,
    lookups: () => models.lookups,
  };
  return createMetrics({ token, node: { name, version: packageJson.version }, cache: pages, ...parts });
}
