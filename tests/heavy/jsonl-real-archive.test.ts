import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
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
  'an export of a real archive that is moved to another community is exported again with the same bytes',
  { timeout: 240_000 },
  async () => {
    const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-jsonl-'));
    onTestFinished(() => rm(parent, { recursive: true }));
    const [before, after] = [path.join(parent, 'before'), path.join(parent, 'after')];
    const community = await createTestCommunity();
    await community.import(archive, { site: 'bioinformatics.stackexchange.com' });
    await exportTo(community, before);
    const other = await createTestCommunity();
    const { added } = await importJsonLines({ directory: before, client: other.client });
    expect(added).toMatchObject({ questions: 419, answers: 801, members: 1379, replies: 2158 });
    await exportTo(other, after);
    const files = (await readdir(before)).filter((name) => name.endsWith('.jsonl') && name !== 'tags.jsonl');
    expect(files).toContain('questions.jsonl');
    const read = async (directory: string) =>
      Promise.all(files.map(async (file) => [file, await readFile(path.join(directory, file), 'utf8')]));
    expect(await read(after)).toEqual(await read(before));
  },
);
