import { existsSync } from 'node:fs';
import type pg from 'pg';
import type { Config } from '#server/platform/config.ts';
import { type Connected, withoutPassword } from '#server/platform/connect.ts';
import { type Database, openDatabase } from '#server/platform/database.ts';
import { dataFolder, defaultDataFolder } from '#server/platform/embedded/folders.ts';
import type { Progress } from '#server/platform/progress.ts';
import { messageOf, StartupError } from '#server/platform/startup-error.ts';
import type { Repaired } from '#server/repair.ts';
import { checkCounts } from './counts.ts';
import { checkActivity, checkMigrations, checkReplicas, checkServer } from './database.ts';
import { type Finding, finder, ok } from './finding.ts';
import { checkClock, checkDisk } from './machine.ts';
import { checkPublicUrl, checkSettings } from './settings.ts';
import { checkBackups, checkJobs, checkMail, checkStream } from './work.ts';

export type Examination = {
  config: Config;
  /** Opens the community's database as it is. */
  connect: () => Promise<Connected>;
  migrationsFolder: string;
  /** Leaves out the counts, which read every row. */
  quick: boolean;
  repairs: boolean;
  /** Whom to send a mail to; undefined: none is sent. */
  mailTo: string | undefined;
  /** Told of each finding as soon as it is there. */
  tell: (finding: Finding) => void;
  progress: Progress;
  signal: AbortSignal;
};

/** Looks at everything an operator has to answer for. What cannot be looked at is a finding as well. */
export async function examine(options: Examination): Promise<{ findings: Finding[]; changed: Repaired[] }> {
  const { config, tell } = options;
  const findings: Finding[] = [];
  const changed: Repaired[] = [];
  const add = (more: readonly Finding[]) => {
    findings.push(...more);
    more.forEach(tell);
  };
  add(checkSettings(config));
  add(await checkPublicUrl(config.settings.publicUrl));
  add(await checkMail(config, options.mailTo));
  await withDatabase(options, add, async (connection, db) => {
    add(await attempt('clock', async () => [await checkClock(db)]));
    // Without its tables nothing else can be said.
    const migrations = await attempt('migrations', async () => [
      await checkMigrations(db, options.migrationsFolder),
    ]);
    add(migrations);
    if (migrations.some(({ level }) => level === 'problem')) return;
    add(await attempt('activity', () => checkActivity(db)));
    add(await attempt('stream', async () => [await checkStream(db)]));
    add(await attempt('jobs', () => checkJobs(db)));
    add(await attempt('backups', () => checkBackups(config, db)));
    if (options.quick) return;
    const counts = await checkCounts({ ...options, connection });
    add(counts.findings);
    changed.push(...counts.changed);
  });
  add(await checkReplicas(config.databaseReplicaUrls));
  return { findings, changed };
}

async function withDatabase(
  { config, connect }: Examination,
  add: (findings: readonly Finding[]) => void,
  work: (connection: pg.PoolConfig, db: Database) => Promise<void>,
): Promise<void> {
  const found = finder('database');
  const data = dataFolder(config.dataFolder ?? defaultDataFolder());
  if (config.databaseUrl === undefined) {
    if (!existsSync(data.cluster))
      return add([
        found(
          'problem',
          `There is no community in ${data.root}.`,
          'There is nothing to look at.',
          'Start Parley there, or set PARLEY_DATA or DATABASE_URL to where it is.',
        ),
      ]);
    add([await checkDisk('The data folder', data.root)]);
  }
  let connected: Connected;
  try {
    connected = await connect();
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return add([
      found(
        'problem',
        error.message,
        'Nothing works without it.',
        'Start it, or put the setting right; its own log says more.',
      ),
    ]);
  }
  const db = openDatabase({ connection: connected.connection, size: 2 });
  try {
    const { findings, dataFolder: itsFolder } = await checkServer(db);
    add(findings);
    if (config.databaseUrl !== undefined) add([await diskOf(config.databaseUrl, itsFolder)]);
    await work(connected.connection, db);
  } finally {
    await db.destroy();
    await connected.stop();
  }
}

/** The disk of a database on this machine, where PostgreSQL tells where it is. */
async function diskOf(url: string, folder: string | null): Promise<Finding> {
  if (folder !== null && existsSync(folder)) return checkDisk("The database's folder", folder);
  return ok('disk', `The disk of ${withoutPassword(url)} cannot be seen from here: watch it there.`);
}

async function attempt(check: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [
      finder(check)(
        'problem',
        `It could not be looked at: ${messageOf(error)}.`,
        'Something is wrong with the database.',
        "Look at PostgreSQL's log.",
      ),
    ];
  }
}
