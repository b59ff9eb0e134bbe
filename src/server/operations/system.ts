import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import packageJson from '#package.json' with { type: 'json' };
import { nodeApplicationPrefix } from '#server/core/database-listen.ts';
import type { Database } from '#server/core/database.ts';
import { projectRoot } from '#server/core/paths.ts';
import { listMigrationNames } from '#server/postgres/index.ts';
import type { PictureStore } from '#server/core/config.ts';
import { countUploadFiles } from '#server/posts/index.ts';
import type { SystemState } from '#shared/admin/system.ts';
import { getBackupStatus } from './backup-queries.ts';
import { getExportStatus } from './export-queries.ts';
import { listAppliedMigrations } from './doctor-queries.ts';
import { readRunningSystem } from './system-queries.ts';

const migrationsDirectory = path.join(projectRoot, 'migrations');

/** What this node does by its configuration. */
export type ConfiguredParts = {
  hasBackups: boolean;
  hasExports: boolean;
  hasEmail: boolean;
  pictureStore: PictureStore;
};

/** What runs. `db` is the primary: a replica does not know who is connected to it. */
export async function readSystemState(
  db: Database,
  { hasBackups, hasExports, hasEmail, pictureStore }: ConfiguredParts,
): Promise<SystemState> {
  const [{ postgresql, applications }, applied, contained, backups, exports, files, revision] =
    await Promise.all([
      readRunningSystem(db),
      listAppliedMigrations(db),
      listMigrationNames(migrationsDirectory),
      getBackupStatus(db),
      getExportStatus(db),
      countUploadFiles(db),
      findRevision(),
    ]);
  const names = applied.map(({ name }) => name);
  return {
    version: packageJson.version,
    revision,
    migrations: {
      applied: names.length,
      latest: names.at(-1) ?? '',
      pending: contained.filter((name) => !names.includes(name)),
      unknown: names.filter((name) => !contained.includes(name)),
    },
    postgresql,
    nodes: applications.map(parseNode),
    backups: {
      scheduled: hasBackups,
      lastSuccess: backups.lastSuccess?.toISOString() ?? null,
      problem: backups.problem,
    },
    exports: {
      scheduled: hasExports,
      lastSuccess: exports.lastSuccess?.toISOString() ?? null,
      problem: exports.problem,
    },
    pictures: {
      store: pictureStore,
      waiting: pictureStore === 's3' ? files.database : files.objectStore,
    },
    email: hasEmail,
  };
}

/** `parley node 0.1.0 NAME` */
function parseNode(application: string): { name: string; version: string } {
  const [version = '', ...name] = application.slice(nodeApplicationPrefix.length).split(' ');
  return { version, name: name.join(' ') };
}

let revision: Promise<string | null> | undefined;

/** The commit that started, even if the checkout changes later. */
function findRevision(): Promise<string | null> {
  revision ??= readRevision();
  return revision;
}

/** Container images have the file, checkouts have git. */
async function readRevision(): Promise<string | null> {
  const fromFile = await readFile(path.join(projectRoot, 'revision'), 'utf8').catch(() => '');
  const text = fromFile || (await readFromGit());
  return /^[\da-f]{7,64}$/.exec(text.trim())?.[0] ?? null;
}

async function readFromGit(): Promise<string> {
  const entries = await readdir(projectRoot);
  // In a directory above, git would find another repository.
  if (!entries.includes('.git')) return '';
  return promisify(execFile)('git', ['rev-parse', 'HEAD'], { cwd: projectRoot }).then(
    ({ stdout }) => stdout,
    () => '',
  );
}
