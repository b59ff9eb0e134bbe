import { existsSync } from 'node:fs';
import path from 'node:path';
import { getRequestListener } from '@hono/node-server';
import type pg from 'pg';
import type { Logger } from 'pino';
import packageJson from '#package.json' with { type: 'json' };
import { createAccounts } from './accounts/accounts.ts';
import { createAuth } from './accounts/auth.ts';
import type { PasswordCost } from './accounts/password.ts';
import { createApp } from './app.ts';
import { type Background, startBackground } from './background.ts';
import { backupState, startScheduledBackups } from './backup/scheduled.ts';
import { answerInFront, keepInMemory, type Kept } from './kept.ts';
import { type Clock, clockSentence, followClock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { closePool, type Database, openSearchDatabase } from './platform/database.ts';
import { projectFolder } from './platform/embedded/folders.ts';
import { type HttpServer, listen } from './platform/http-server.ts';
import { type Live, startLive } from './platform/live.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';
import type { WatchedParts } from './platform/metrics-of-parts.ts';
import { openReplicas } from './platform/replicas/replicas.ts';
import { limitFloods } from './platform/floods.ts';
import { forgetOldPoints } from './platform/rate-limits.ts';
import { watchPressure } from './platform/pressure.ts';
import { securityHeadersOf } from './platform/security-headers.ts';
import { shed } from './platform/shedding.ts';
import { isOwnOrigin } from './platform/same-origin.ts';
import type { Settings } from './platform/settings.ts';
import { type EventStream, followEvents } from './platform/stream.ts';
import type { DatabaseWatch } from './platform/watch.ts';
import { followWriters } from './platform/writers.ts';
import { forgetOldKeys } from './posts/idempotency.ts';

/** How long running requests may take once Parley is told to stop, in milliseconds. */
const patience = 10_000;

const megabyte = 1_024 * 1_024;

const hour = 60 * 60 * 1_000;

export type NodeOptions = {
  config: Config;
  settings: Settings;
  /** Migrated. */
  db: Database;
  /** Told of what `db` does. */
  watch: DatabaseWatch;
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
  cutOff: () => void;
};

/** Puts the parts of a node together: the stream of events, the replicas, the API, the pages, the live sockets. */
export async function startNode(options: NodeOptions): Promise<ParleyNode> {
  const { config, settings, db, watch, connection, log, stopping, onStop } = options;
  const clock = await followClock(db, log);
  onStop(async () => clock.stop());
  const urls = config.databaseReplicaUrls;
  const searching = openSearchDatabase({ connection, ran: watch.ran });
  onStop(() => closePool(searching));
  const replicas = await openReplicas({ db, searching, connection, urls, log, ran: watch.ran });
  onStop(async () => replicas?.stop());
  let live: Live | undefined;
  let background: Background | undefined;
  let kept: Kept | undefined;
  const stream = await followEvents({
    db,
    connection,
    log,
    onEvents(events, position) {
      // First: who is told of something asks for it.
      kept?.changed(events);
      live?.tell(events, position);
      background?.onEvents(events);
    },
    onGap(position) {
      kept?.clear();
      live?.tellMissed(position);
    },
  });
  kept = keep(options, stream);
  onStop(() => stream.stop());
  const forget = () => Promise.all([forgetOldKeys(db), forgetOldPoints(db)]);
  const housekeeping = setInterval(() => void forget().catch(() => {}), hour);
  onStop(async () => clearInterval(housekeeping));
  background = await startBackground({ db, connection, settings, mail: config.mail, log });
  onStop(background.stop);
  startBackups(options);
  const webFolder = path.join(projectFolder, 'dist/web');
  const isReady = () => live !== undefined && stream.isFollowed() && !stopping.aborted;
  const floods = config.rateLimits ? limitFloods() : undefined;
  let listening: HttpServer | undefined;
  const pressure = watchPressure({
    db,
    waiting: () => watch.connections().waiting,
    admitted: async () => listening?.admitted(),
  });
  onStop(async () => pressure.stop());
  let shedCount = () => 0;
  const metrics = metricsOf(config, kept, {
    isReady,
    sockets: () => live?.sockets() ?? 0,
    lag: stream.lag,
    database: watch,
    jobs: background.jobs,
    replicas: replicas?.states,
    backups: config.backups && (() => backupState(db)),
    overload: { level: pressure.level, shed: () => shedCount(), refused: () => floods?.refused() ?? 0 },
  });
  const app = createApp({
    db,
    searching,
    settings,
    log,
    position: stream.position,
    isReady,
    remark: () => clockRemark(clock),
    metrics,
    replicas,
    kept,
    background,
    floods,
    ...(options.passwordCost && { passwordCost: options.passwordCost }),
    ...(existsSync(webFolder) && { webFolder }),
  });
  const shedding = await shed({
    pressure,
    viewerOf: kept?.sessions.find ?? (() => undefined),
    headers: await securityHeadersOf(settings, '/'),
    behind: getRequestListener(app.fetch),
  });
  shedCount = shedding.refused;
  const { handler: behind } = shedding;
  const handler =
    kept === undefined ? behind : await answerInFront({ kept, settings, floods, stream, metrics, behind });
  const http = await listen(handler, config.host, config.port);
  listening = http;
  const sockets = startSockets(options, { http, stream });
  live = sockets;
  // At the same time: a socket that is let go must not find its way back here.
  onStop(async () => void (await Promise.all([http.stop(patience), sockets.stop()])));
  return {
    address: http.address,
    drain(milliseconds) {
      http.drain();
      sockets.drain(milliseconds);
    },
    cutOff: http.cutOff,
  };
}

/** What /readyz says of the clock; null where there is nothing to say. */
function clockRemark(clock: Clock): string | null {
  const ahead = clock.aheadBy();
  return ahead === 0 ? null : clockSentence(ahead);
}

/** Undefined where nothing is to be kept. */
function keep({ config, settings, db }: NodeOptions, stream: EventStream): Kept | undefined {
  if (config.cacheSize === 0) return undefined;
  return keepInMemory({ db, settings, stream, maxBytes: config.cacheSize * megabyte });
}

function startBackups({ config, db, connection, log, onStop }: NodeOptions): void {
  const { backups: plan, nodeName: node } = config;
  if (plan === undefined) return;
  const { version } = packageJson;
  const migrationsFolder = path.join(projectFolder, 'migrations');
  const backups = startScheduledBackups({ plan, db, connection, node, version, migrationsFolder, log });
  onStop(backups.stop);
}

function startSockets(
  { db, connection, settings, log, onStop }: NodeOptions,
  { http, stream }: { http: HttpServer; stream: EventStream },
): Live {
  const writers = followWriters({ db, connection, log });
  onStop(() => writers.stop());
  const accounts = createAccounts({ db, auth: createAuth(db, settings), settings });
  return startLive({
    server: http.server,
    stream,
    writers,
    authenticate: async (headers) => (await accounts.viewer(headers))?.viewer ?? null,
    allowsOrigin: (headers) => isOwnOrigin(settings, headers),
  });
}

/** Undefined where nobody asks for them. */
function metricsOf(
  { metricsToken: token, nodeName: name }: Config,
  kept: Kept | undefined,
  parts: Omit<WatchedParts, 'node' | 'kept'>,
): Metrics | undefined {
  if (token === undefined) return undefined;
  const models = kept?.models;
  const pages = models && {
    bytes: () => models.size,
    made: () => models.made,
    asked: () => models.asked,
    lookups: () => models.lookups,
  };
  return createMetrics({ token, node: { name, version: packageJson.version }, kept: pages, ...parts });
}
