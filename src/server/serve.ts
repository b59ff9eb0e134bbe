import path from 'node:path';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { Config } from './platform/config.ts';
import { connect } from './platform/connect.ts';
import { type Database, openDatabase } from './platform/database.ts';
import { defaultDataFolder, projectFolder } from './platform/embedded/folders.ts';
import { checkPortIsFree, listen } from './platform/http-server.ts';
import { migrate } from './platform/migrations.ts';
import { keptSecret } from './platform/secret.ts';
import { aborted, stopSignals } from './platform/signals.ts';
import { messageOf } from './platform/startup-error.ts';

export const migrationsFolder = path.join(projectFolder, 'migrations');

/** How long running requests may take once Parley is told to stop, in milliseconds. */
const patience = 10_000;
const poolPatience = 5_000;

export type ServeOptions = {
  config: Config;
  log: Logger;
  /** What is done to the migrated database before the first request. */
  prepare?: (db: Database) => Promise<void>;
};

/**
 * Serves until a signal says to stop, then lets running requests finish. A second signal cuts them off.
 * @throws StartupError with a sentence for the operator.
 */
export async function serve({ config, log, prepare }: ServeOptions): Promise<void> {
  const stopping = stopSignals();
  const undo: (() => Promise<void>)[] = [];
  try {
    await checkPortIsFree(config.host, config.port);
    const { connection, embedded, stop } = await connect(config, log, stopping.first);
    undo.unshift(stop);
    const secret =
      config.secret ?? (await keptSecret(embedded?.folder ?? config.dataFolder ?? defaultDataFolder()));
    const db = openDatabase({
      connection,
      onIdleError: (error) => log.warn(`A database connection broke: ${error.message}`),
    });
    undo.unshift(() => closePool(db));
    for (const name of await migrate(db, migrationsFolder)) log.info(`Applied the migration ${name}.`);
    await prepare?.(db);
    const settings = { ...config.settings, secret };
    const app = createApp({ db, settings, log, webFolder: path.join(projectFolder, 'dist/web') });
    const http = await listen(getRequestListener(app.fetch), config.host, config.port);
    undo.unshift(() => http.stop(patience));
    stopping.second.addEventListener('abort', http.cutOff);
    await embedded?.noteAddress(http.address);
    log.info(`Parley is ready at ${http.address} (started in ${secondsSinceStart()} s)`);
    await aborted(stopping.first);
    log.info('Parley stops: requests that are running may finish.');
  } catch (error) {
    // Told to stop while it was starting.
    if (!stopping.first.aborted) throw error;
  } finally {
    for (const step of undo)
      await step().catch((error: unknown) => log.error(`Stopping: ${messageOf(error)}`));
  }
  log.info('Parley has stopped.');
}

/** Waits for queries that still run, but not for ever: stopping PostgreSQL ends them. */
async function closePool(db: Database): Promise<void> {
  const tooLong = new Promise<void>((resolve) => setTimeout(resolve, poolPatience).unref());
  await Promise.race([db.destroy(), tooLong]);
}

/** Since the start script began, where that started this process. */
function secondsSinceStart(): string {
  const startedAt = Number(process.env['PARLEY_STARTED_AT'] ?? Number.NaN);
  const seconds = Number.isNaN(startedAt) ? process.uptime() : (Date.now() - startedAt) / 1_000;
  return seconds.toFixed(1);
}
