import { createReadStream, existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';
import pg from 'pg';
import { pino } from 'pino';
import { brokenInvariants } from '#server/invariants.ts';
import { databaseOn } from '#server/platform/database.ts';
import { chooseAccount } from '#server/platform/embedded/account.ts';
import { startEmbedded } from '#server/platform/embedded/embedded.ts';
import { dataFolder } from '#server/platform/embedded/folders.ts';
import { clearLeftovers } from '#server/platform/embedded/leftovers.ts';
import { runningInstance } from '#server/platform/embedded/lock.ts';
import type { Progress } from '#server/platform/progress.ts';
import { backUp } from './backup.ts';
import { type Completion, type Contents, DamagedBackup } from './file.ts';
import { restore } from './restore.ts';

export type VerifyOptions = {
  file: string;
  /** Where there is room for the whole database for a while. */
  scratch: string;
  migrationsFolder: string;
  progress: Progress;
  signal: AbortSignal;
};

/**
 * Restores a backup into a PostgreSQL of its own, which is thrown away: every row has to come out again as it went in,
 * and every count has to equal its rows.
 * @throws DamagedBackup, MigrationError
 */
export async function verify({ file, scratch, ...options }: VerifyOptions): Promise<{
  contents: Contents;
  completion: Completion;
}> {
  await clearAbandoned(scratch);
  const parent = await mkdtemp(path.join(scratch, prefix));
  try {
    // Root's PostgreSQL runs as another user, who must be able to pass.
    await chmod(parent, 0o711);
    const folder = path.join(parent, 'data');
    const embedded = await startEmbedded({ folder, log: pino({ level: 'silent' }), signal: options.signal });
    const client = new pg.Client(embedded.connection);
    try {
      await client.connect();
      const { size } = await stat(file);
      const restored = await restore({ ...options, client, open: () => createReadStream(file), size });
      await compare(client, restored, options);
      return restored;
    } finally {
      await client.end().catch(() => {});
      await embedded.stop();
    }
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

const prefix = 'parley-verify-';

/** What a verification that was killed has left: a PostgreSQL that runs on, and the room it takes. */
async function clearAbandoned(scratch: string): Promise<void> {
  for (const name of (await readdir(scratch)).filter((name) => name.startsWith(prefix))) {
    const parent = path.join(scratch, name);
    const data = dataFolder(path.join(parent, 'data'));
    if (!existsSync(data.cluster) || (await runningInstance(data)) !== undefined) continue;
    await clearLeftovers(data.cluster, await chooseAccount(data.cluster, () => {}));
    await rm(parent, { recursive: true, force: true });
  }
}

async function compare(
  client: pg.Client,
  { contents, completion }: { contents: Contents; completion: Completion },
  { progress, signal }: Pick<VerifyOptions, 'progress' | 'signal'>,
): Promise<void> {
  await client.query('set synchronize_seqscans = off');
  const to = new Writable({ write: (_chunk, _encoding, done) => done() });
  const again = await backUp({ client, to, version: contents.madeBy, progress, signal });
  for (const { name, rows, sha256 } of completion.tables) {
    const found = again.tables.find((table) => table.name === name);
    if (found?.rows !== rows || found.sha256 !== sha256)
      throw new DamagedBackup(`The table ${name} comes out of it with other rows than went in.`);
  }
  const broken = await brokenInvariants(databaseOn(client));
  if (broken.length > 0) {
    const said = broken.map(
      ({ rule, id, stored, counted }) => `${rule} of ${id}: ${stored}, counted ${counted}`,
    );
    throw new DamagedBackup(`Counts in it do not equal their rows: ${said.join('; ')}.`);
  }
}
