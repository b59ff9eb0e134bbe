import { commandLines, migrationsDirectory } from './core/paths.ts';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { PasswordCost } from './identity/index.ts';
import { findSetupLink } from './admin/index.ts';
import { demoMember, demoModerator, isEmptyCommunity, loadDemo } from './import-export/index.ts';
import { startNode } from './node.ts';
import { assertNoCommunityIsMissing, assertNoDataIsMissing } from './operations/index.ts';
import type { Config } from './core/config.ts';
import { connectDatabase, migrate } from './postgres/index.ts';
import { closePool, openDatabase, poolCloseTimeoutMs } from './core/database.ts';
import { assertPortIsFree } from './core/http-server.ts';
import { getOrCreateSecret } from './core/secret.ts';
import { listenForStopSignals, waitForAbort, waitForAbortWithin } from './core/signals.ts';
import { getErrorMessage } from './core/startup-error.ts';
import { monitorDatabase } from './core/database-monitor.ts';

export type ServeOptions = {
  config: Config;
  log: Logger;
  /** Loads the demo community before the first request. */
  demo?: boolean;
  /** Default: the full cost. Tests lower it. */
  passwordCost?: PasswordCost;
};

/**
 * Serves until a signal stops it, and then lets running requests finish. A second signal closes their connections.
 * @throws StartupError with a sentence for the operator.
 */
export async function serve({ config, log, demo = false, passwordCost }: ServeOptions): Promise<void> {
  const stopping = listenForStopSignals();
  const cleanups: (() => Promise<void>)[] = [];
  process.on('uncaughtException', (error) => {
    log.fatal(error, 'Parley stops because of an unexpected error.');
    process.exitCode = 1;
    stopping.stop();
  });
  try {
    await assertNoDataIsMissing(config);
    const { connection, pooled, embedded, stop } = await connectDatabase(config, log, stopping.first);
    cleanups.unshift(stop);
    await assertPortIsFree(config.host, config.port);
    const monitor = monitorDatabase({ log, slowQueryMs: config.slowQueryMs });
    await assertNoCommunityIsMissing(config, connection);
    await runMigrations(connection, log);
    const db = openDatabase({
      connection: pooled ?? connection,
      isPooled: pooled !== undefined,
      monitor,
      onIdleError: (error) => {
        // While stopping, a lost connection is expected.
        if (!stopping.first.aborted) log.warn(`A database connection broke: ${error.message}`);
      },
    });
    cleanups.unshift(() => closePool(db));
    const secret = await getOrCreateSecret(db, config.secret, log);
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
      onStop: (step) => cleanups.unshift(step),
    });
    stopping.second.addEventListener('abort', node.closeConnections);
    await embedded?.updateInstance({ address: node.address });
    log.info(`Parley is ready at ${node.address} (started in ${secondsSinceStart()} s)`);
    if (demo) {
      log.info(`Sign in as ${demoMember.email} with the password ${demoMember.password}, or register.`);
      log.info(
        moderatorPassword === null
          ? `To set a new password for the moderator, run: ${commandLines.parley} reset-password ${demoModerator}`
          : `Sign in as the moderator ${demoModerator} with the password ${moderatorPassword}. It is shown only once.`,
      );
    }
    // These are only hints, so an error of the database must not stop a serving Parley.
    const setupLink = await findSetupLink(db, { ...settings, address: node.address }).catch(() => null);
    if (setupLink !== null && !demo)
      log.info(`To set up this community and become its admin, open: ${setupLink}`);
    if (!demo && (await isEmptyCommunity(db).catch(() => false)))
      log.info(`There are no members yet. To try Parley with a demo community, run: ${commandLines.demo}`);
    await waitForAbort(stopping.first);
    await embedded?.updateInstance({ stopping: true });
    if (config.drainSeconds > 0) {
      log.info(
        `Parley stops in ${config.drainSeconds} s. Until then it continues to serve, and /readyz responds 503.`,
      );
      node.drain(config.drainSeconds * 1_000);
      await waitForAbortWithin(stopping.second, config.drainSeconds * 1_000);
    }
    log.info('Shutting down after the running requests.');
  } catch (error) {
    // It was stopped during the start.
    if (!stopping.first.aborted) throw error;
  } finally {
    for (const step of cleanups)
      await step().catch((error: unknown) => log.error(`Error while stopping: ${getErrorMessage(error)}`));
  }
  log.info('Parley has stopped.');
  // A connection to an unreachable database may never close; this keeps it from blocking the exit.
  setTimeout(() => process.exit(), poolCloseTimeoutMs).unref();
}

/** Connects directly to PostgreSQL, without a pooler: migrations hold a session lock and can take minutes. */
async function runMigrations(connection: pg.PoolConfig, log: Logger): Promise<void> {
  const db = openDatabase({ connection, maxConnections: 1 });
  try {
    const migrated = await migrate(db, migrationsDirectory, {
      onUpgrade: (name) =>
        log.info(`Applying the migration ${name}. This can take minutes in a large community …`),
      onLocked: () =>
        log.info(
          'The migration waits for another transaction, such as a backup. It tries again until that ends.',
        ),
    });
    for (const name of migrated) log.info(`Applied the migration ${name}.`);
  } finally {
    await db.destroy();
  }
}

/** Since the start script began, if that started this process. */
function secondsSinceStart(): string {
  const startedAt = Number(process.env['PARLEY_STARTED_AT'] ?? Number.NaN);
  const seconds = Number.isNaN(startedAt) ? process.uptime() : (Date.now() - startedAt) / 1_000;
  return seconds.toFixed(1);
}
