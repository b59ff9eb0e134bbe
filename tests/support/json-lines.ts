import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Rows by kind: `{ questions: [{ id: 1, … }] }`. A string is the content of the file. */
export type JsonLines = Readonly<Record<string, readonly object[] | string>>;

/** Writes files of JSON lines to a directory that is removed after the test. Returns the directory. */
export async function writeJsonLines(files: JsonLines): Promise<string> {
  const parent = await mkdtemp(path.join(tmpdir(), 'parley-jsonl-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const directory = path.join(parent, 'files');
  await mkdir(directory);
  for (const [kind, rows] of Object.entries(files))
    await writeFile(
      path.join(directory, `${kind}.jsonl`),
      typeof rows === 'string' ? rows : rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    );
  return directory;
}
