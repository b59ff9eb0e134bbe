import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { projectRoot } from '#server/core/paths.ts';
import { exportCommunity } from '#server/import-export/export.ts';
import { importJsonLines } from '#server/import-export/jsonl-import.ts';
import {
  createTestCommunity,
  setupTestDatabase,
  type TestCommunity,
} from '#tests/support/stack-exchange-archive.ts';
import { readMovedTables } from '#tests/support/moved-tables.ts';

setupTestDatabase();

/** Real archives next to the checkout, on machines that have them. They are not part of the repository. */
const archive = path.join(projectRoot, '../shared/data/bioinformatics-2017');

async function exportTo(community: TestCommunity, directory: string): Promise<void> {
  const options = { format: 'jsonl', withPrivateData: true, license: 'CC BY-SA 4.0' } as const;
  await exportCommunity({
    ...options,
    directory,
    client: community.client,
    origin: 'https://ask.example.org',
  });
}

it.skipIf(!existsSync(archive))(
  'an export of a real archive that is moved to another community has the same rows there',
  { timeout: 240_000 },
  async () => {
    const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-jsonl-'));
    onTestFinished(() => rm(parent, { recursive: true }));
    const directory = path.join(parent, 'files');
    const community = await createTestCommunity();
    await community.import(archive, { site: 'bioinformatics.stackexchange.com' });
    await exportTo(community, directory);
    const imported = await readMovedTables(community);
    const other = await createTestCommunity();
    const { added } = await importJsonLines({ directory, client: other.client });
    expect(added).toMatchObject({ questions: 419, answers: 801, members: 1379, replies: 2158 });
    const moved = await readMovedTables(other);
    for (const [table, rows] of Object.entries(imported))
      expect({ table, rows: moved[table] }).toEqual({ table, rows });
  },
);
