import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import type pg from 'pg';
import { onTestFinished } from 'vitest';
import { registerConvertCommand } from '#server/import-export/convert-command.ts';
import type { ExportFormat } from '#server/import-export/export-command.ts';
import { exportCommunity } from '#server/import-export/export.ts';

/** A new directory that is deleted when the test has finished. */
async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-files-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Exports what is public. Returns the directory of the files. */
export async function exportAs(client: pg.Client, format: ExportFormat): Promise<string> {
  const directory = path.join(await createDirectory(), 'out');
  await exportCommunity({
    directory,
    client,
    format,
    withPrivateData: false,
    license: 'CC BY-SA 4.0',
    origin: 'https://ask.example.org',
  });
  return directory;
}

/** Runs `parley convert` with these arguments. */
export async function runConvertCommand(client: pg.Client, args: readonly string[]) {
  const result = { out: '', err: '', code: 0 };
  const program = new Command('parley').exitOverride();
  registerConvertCommand(program, {
    withClient: (work) => work(client),
    out: { write: (text) => (result.out += text) },
    err: { write: (text) => (result.err += text) },
    exitWith: (code) => (result.code = code),
  });
  await program.parseAsync(['convert', ...args], { from: 'user' });
  return result;
}

/**
 * Runs `parley convert SOURCE INPUT DIRECTORY` in a new directory with the given files.
 * @param options.input the file that the command reads
 */
export async function runConvert(
  client: pg.Client,
  options: {
    source: 'apache-answer' | 'csv' | 'discourse' | 'github' | 'nodebb' | 'question2answer';
    files: Readonly<Record<string, string | Buffer>>;
    input: string;
    args?: readonly string[];
  },
) {
  const { source, files, input, args = [] } = options;
  const parent = await createDirectory();
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(parent, name), content);
  const directory = path.join(parent, 'lines');
  return {
    ...(await runConvertCommand(client, [source, path.join(parent, input), directory, ...args])),
    directory,
  };
}
