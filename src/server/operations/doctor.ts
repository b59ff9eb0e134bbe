import { existsSync } from 'node:fs';
import type pg from 'pg';
import type { Config } from '#server/core/config.ts';
import { isDatabaseEmpty } from './doctor-queries.ts';
import {
  type ConnectedDatabase,
  defaultDataDirectory,
  redactPassword,
  resolveDataDirectory,
} from '#server/postgres/index.ts';
import { type Database, openDatabase } from '#server/core/database.ts';
import type { Progress } from '#server/core/progress.ts';
import { getErrorMessage, StartupError } from '#server/core/startup-error.ts';
import type { RepairedRow } from './integrity-repair.ts';
import { checkCounts } from './doctor-check-counts.ts';
import { checkActivity, checkMigrations, checkDatabaseServer } from './doctor-check-database.ts';
import { checkReplicas } from './doctor-check-replicas.ts';
import { type Finding, createFinding, okFinding } from './doctor-findings.ts';
import { checkClock, checkDisk } from './doctor-check-host.ts';
import { checkPublicUrl, checkSettings } from './doctor-check-settings.ts';
import {
  checkBackups,
  checkExports,
  checkJobs,
  checkPictureStore,
  checkEmail,
  checkEventStream,
} from './doctor-check-services.ts';

export type DoctorOptions = {
  config: Config;
  /** Opens the community's database without migrating it. */
  connect: () => Promise<ConnectedDatabase>;
  migrationsDirectory: string;
  /** Skips the comparison of counts, which reads every row. */
  quick: boolean;
  isRepairing: boolean;
  /** Recipient of a test email; undefined: none is sent. */
  emailTo: string | undefined;
  /** Called with each finding as soon as it is known. */
  onFinding: (finding: Finding) => void;
  progress: Progress;
  signal: AbortSignal;
};

/** Runs all checks. A check that fails is a finding too. */
export async function runDoctor(
  options: DoctorOptions,
): Promise<{ findings: Finding[]; changed: RepairedRow[] }> {
  const { config, onFinding } = options;
  const findings: Finding[] = [];
  const changed: RepairedRow[] = [];
  const add = (more: readonly Finding[]) => {
    findings.push(...more);
    more.forEach(onFinding);
  };
  add(checkSettings(config));
  add(await checkPublicUrl(config.settings.publicUrl));
  add(await checkEmail(config, options.emailTo));
  let isConnected = false;
  await withDatabase(options, add, async (connection, db) => {
    isConnected = true;
    add(await runCheck('replica', () => checkReplicas(config.databaseReplicaUrls, db)));
    add(await runCheck('clock', async () => [await checkClock(db)]));
    // Without the tables, the other checks cannot run.
    const migrations = await runCheck('migrations', async () => [
      await checkMigrations(db, options.migrationsDirectory),
    ]);
    add(migrations);
    if (migrations.some(({ level }) => level === 'problem')) return;
    add(await runCheck('activity', () => checkActivity(db)));
    add(await runCheck('stream', async () => [await checkEventStream(db)]));
    add(await runCheck('jobs', () => checkJobs(db)));
    add(await runCheck('pictures', () => checkPictureStore(config, db)));
    add(await runCheck('backups', () => checkBackups(config, db)));
    add(await runCheck('exports', () => checkExports(config, db)));
    if (options.quick) return;
    const counts = await checkCounts({ ...options, connection });
    add(counts.findings);
    changed.push(...counts.changed);
  });
  if (!isConnected) add(await checkReplicas(config.databaseReplicaUrls, undefined));
  return { findings, changed };
}

async function withDatabase(
  { config, connect }: DoctorOptions,
  add: (findings: readonly Finding[]) => void,
  work: (connection: pg.PoolConfig, db: Database) => Promise<void>,
): Promise<void> {
  const finding = createFinding('database');
  const data = resolveDataDirectory(config.dataDirectory ?? defaultDataDirectory());
  if (config.databaseUrl === undefined) {
    if (!existsSync(data.cluster))
      return add([
        finding(
          'problem',
          `There is no community in ${data.root}.`,
          'There is nothing to check.',
          'Start Parley there, or set PARLEY_DATA or DATABASE_URL to where it is.',
        ),
      ]);
    add([await checkDisk('The data directory', data.root)]);
  }
  let connected: ConnectedDatabase;
  try {
    connected = await connect();
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return add([
      finding(
        'problem',
        error.message,
        'Nothing works without it.',
        'Start it, or correct the setting. Its log says more.',
      ),
    ]);
  }
  const db = openDatabase({ connection: connected.connection, maxConnections: 2 });
  try {
    const { findings, dataDirectory } = await checkDatabaseServer(db);
    add(findings);
    if (config.databaseUrl !== undefined) add([await checkDatabaseDisk(config.databaseUrl, dataDirectory)]);
    if (await isDatabaseEmpty(db))
      return add([
        finding(
          'problem',
          'There is no community in this database.',
          'There is nothing else to check.',
          'Start Parley with this database, or correct the setting.',
        ),
      ]);
    await work(connected.connection, db);
  } finally {
    await db.destroy();
    await connected.stop();
  }
}

/** Checks the disk of a database on this machine, if PostgreSQL reveals its data directory. */
async function checkDatabaseDisk(url: string, directory: string | null): Promise<Finding> {
  if (directory !== null && existsSync(directory)) return checkDisk('The database directory', directory);
  return okFinding(
    'disk',
    `The disk of ${redactPassword(url)} cannot be checked from here. Monitor it there.`,
  );
}

async function runCheck(check: string, findProblems: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await findProblems();
  } catch (error) {
    return [
      createFinding(check)(
        'problem',
        `The check failed: ${getErrorMessage(error)}.`,
        'Something is wrong with the database.',
        "Look at PostgreSQL's log.",
      ),
    ];
  }
}
