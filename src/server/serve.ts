import { projectRoot } from './core/paths.ts';
import path from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { PasswordCost } from './identity/passwords.ts';
import { demoMember, demoModerator, isEmptyCommunity, loadDemo } from './import-export/demo.ts';
import { startNode } from './node.ts';
import type { Config } from './core/config.ts';
import { connectDatabase } from './postgres/connect.ts';
import { closePool, openDatabase, poolCloseTimeoutMs } from './core/database.ts';
import { defaultDataDirectory } from './postgres/embedded-data-directory.ts';
import { assertPortIsFree } from './core/http-server.ts';
import { migrate } from './postgres/migrations.ts';
import { getOrCreateSecret } from './core/secret.ts';
import { listenForStopSignals, waitForAbort, waitForAbortWithin } from './core/signals.ts';
import { getErrorMessage } from './core/startup-error.ts';
import { monitorDatabase } from './core/database-monitor.ts';

export const migrationsDirectory = path.join(projectRoot, 'migrations');

export type ServeOptions = {
  config: Config;
  log: Logger;
  /** Loads the demo community before the first request. */
  demo?: boolean;
  /** By default the full cost; only tests say otherwise. */
  passwordCost?: PasswordCost;
};

/**
 * Serves until a signal says to stop, then lets running requests finish. A second signal cuts them off.
 * @throws StartupError with a sentence for the operator.
 */
export async function serve({ config, log, demo = false, passwordCost }: ServeOptions): Promise<void> {
  const stopping = listenForStopSignals();
  const undo: (() => Promise<void>)[] = [];
  process.on('uncaughtException', (error) => {
    log.fatal(error, 'Parley stops because of an error that nobody foresaw.');
    process.exitCode = 1;
    stopping.stop();
  });
  try {
    const { connection, pooled, embedded, stop } = await connectDatabase(config, log, stopping.first);
    undo.unshift(stop);
    await assertPortIsFree(config.host, config.port);
    const monitor = monitorDatabase({ log, slowQueryMs: config.slowQueryMs });
    await runMigrations(connection, log);
    const db = openDatabase({
      connection: pooled ?? connection,
      isPooled: pooled !== undefined,
      monitor,
      onIdleError: (error) => {
        // PostgreSQL going down is no news once Parley stops.
        if (!stopping.first.aborted) log.warn(`A database connection broke: ${error.message}`);
      },
    });
    undo.unshift(() => closePool(db));
    const secret = await getOrCreateSecret(db, {
      given: config.secret,
      dataDirectory: embedded?.dataDirectory ?? config.dataDirectory ?? defaultDataDirectory(),
      removesFile: embedded !== undefined,
      log,
    });
    const settings = { ...config.settings, secret };
    const moderatorPassword = demo ? await loadDemo({ connection, db, settings }) : null;
    const node = await startNode({
      config,
      settings,
      db,
      monitor,
      connection,
      log,
      passwordCost,
      stopping: stopping.first,
      onStop: (step) => undo.unshift(step),
    });
    stopping.second.addEventListener('abort', node.closeConnections);
    await embedded?.updateInstance({ address: node.address });
    log.info(`Parley is ready at ${node.address} (started in ${secondsSinceStart()} s)`);
    if (demo) {
      log.info(`Sign in as ${demoMember.email} with the password ${demoMember.password}, or register.`);
      log.info(
        moderatorPassword === null
          ? `For a new password of the moderator: npm run parley -- reset-password ${demoModerator}`
          : `Sign in as the moderator ${demoModerator} with the password ${moderatorPassword}. It is shown this once.`,
      );
    }
    // Only a hint: a database that goes away at this moment ends no Parley that serves.
    else if (await isEmptyCommunity(db).catch(() => false))
      log.info('Nobody is here yet. To look around in a demo community, start with: npm start -- --demo');
    await waitForAbort(stopping.first);
    await embedded?.updateInstance({ stopping: true });
    if (config.drainSeconds > 0) {
      log.info(`Parley stops in ${config.drainSeconds} s. Until then it serves on, and /readyz says 503.`);
      node.drain(config.drainSeconds * 1_000);
      await waitForAbortWithin(stopping.second, config.drainSeconds * 1_000);
    }
    log.info('Parley stops: requests that are running may finish.');
  } catch (error) {
    // Told to stop while it was starting.
    if (!stopping.first.aborted) throw error;
  } finally {
    for (const step of undo)
      await step().catch((error: unknown) => log.error(`Stopping: ${getErrorMessage(error)}`));
  }
  log.info('Parley has stopped.');
  // A connection to a database that went away may never end; it holds nobody up.
  setTimeout(() => process.exit(), poolCloseTimeoutMs).unref();
}

/** On a connection to PostgreSQL itself: it holds a lock, and may take minutes. */
async function runMigrations(connection: pg.PoolConfig, log: Logger): Promise<void> {
  const db = openDatabase({ connection, maxConnections: 1 });
  try {
    const migrated = await migrate(db, migrationsDirectory, (name) =>
      log.info(`Applying the migration ${name}. In a large community that may take minutes …`),
    );
    for (const name of migrated) log.info(`Applied the migration ${name}.`);
  } finally {
    await db.destroy();
  }
}

/** Since the start script began, where that started this process. */
function secondsSinceStart(): string {
  const startedAt = Number(process.env['PARLEY_STARTED_AT'] ?? Number.NaN);
  const seconds = Number.isNaN(startedAt) ? process.uptime() : (Date.now() - startedAt) / 1_000;
  return seconds.toFixed(1);
}
