import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { type Database, openDatabase } from '#server/core/database.ts';
import { projectRoot } from '#server/core/paths.ts';
import { importStackExchange } from '#server/import-export/stack-exchange-import.ts';
import { formatReplay } from '#server/moderation/spam-replay-command.ts';
import { replaySpam } from '#server/moderation/spam-replay.ts';
import { migrate } from '#server/postgres/migrations.ts';
import { settingCatalogue, type SettingName, type SettingValues } from '#shared/core/setting-catalogue.ts';
import { withClient } from '#tests/support/database-client.ts';
import { withTemporaryPostgres } from '#tests/support/temporary-parley.ts';
import { measurePosting } from './spam-replay/measure-posting.ts';
import { plantSpam } from './spam-replay/plant-spam.ts';

const usage = `Usage: bench/spam-replay.ts DATA [--sites NAME,…] [--share SHARE] [--seed NUMBER] [--posting]

Imports archives of real communities, plants spam in them, and prints what 'parley spam replay' says: with the default
settings, and with blocked words. The spam is artificial (bench/spam-replay/spam-texts.ts) and always the same for a
seed. DATA is a directory with archives: beer-2020, bioinformatics-2017. Runs in a temporary embedded PostgreSQL.

  --share    spam posts per post of the archive, default 0.05
  --posting  measure instead what storing a question costs with the rules and the estimate on and off`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sites: { type: 'string', default: 'beer-2020,bioinformatics-2017' },
    share: { type: 'string', default: '0.05' },
    seed: { type: 'string', default: '1' },
    posting: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Words that an admin of the first half of the time would have blocked. */
const blockedWords = [
  'casino',
  'free spins',
  'backlinks',
  'weight loss',
  'toll free',
  'essay',
  'plagiarism free',
];

const [data] = positionals;
if (values.help || data === undefined) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}
process.exitCode = await run(path.resolve(data));

async function run(directory: string): Promise<number> {
  const sites = values.sites.split(',');
  const missing = sites.filter((site) => !existsSync(path.join(directory, site)));
  if (missing.length > 0) {
    console.error(`NOT RUN: ${missing.join(', ')} missing in ${directory}`);
    return 2;
  }
  for (const site of sites)
    await withTemporaryPostgres(async ({ connection }) => {
      const db = openDatabase({ connection });
      try {
        await openCommunity(db, connection, path.join(directory, site));
        const planted = await plantSpam(db, { seed: Number(values.seed), share: Number(values.share) });
        await withClient(connection, (client) => client.query('vacuum analyze'));
        console.log(`\n## ${site}, ${planted} planted spam posts\n`);
        if (values.posting) await measurePosting(db);
        else await printReplays(db);
      } finally {
        await db.destroy();
      }
    });
  return 0;
}

async function openCommunity(db: Database, connection: pg.ClientConfig, directory: string): Promise<void> {
  await migrate(db, path.join(projectRoot, 'migrations'));
  await withClient(connection, (client) => importStackExchange({ directory, client }));
}

async function printReplays(db: Database): Promise<void> {
  const lists: Readonly<Record<string, Partial<SettingValues>>> = {
    'Default settings': {},
    [`Blocked words: ${blockedWords.join(', ')}`]: { blockedWords },
  };
  for (const [name, changed] of Object.entries(lists)) {
    const get = <Name extends SettingName>(setting: Name) =>
      (changed[setting] ?? settingCatalogue[setting].default) as SettingValues[Name];
    const started = performance.now();
    const replay = await replaySpam(db, {
      since: null,
      settings: { get },
      publicUrl: null,
      onProgress: () => {},
    });
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
    console.log(`${name}. Replayed in ${seconds} s, ${memory} MiB resident.\n\n${formatReplay(replay)}`);
  }
}
