import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { getErrorCode } from '#server/core/startup-error.ts';
import { describeIssue, type LineKind, lineKinds, type Manifest, manifestSchema } from './jsonl-format.ts';
import { ArchiveError, getFileSize, unreadableError } from './stack-exchange-errors.ts';

/** A file of JSON lines. */
export type LineFile = { kind: LineKind; name: string; path: string; bytes: number };

export type LineFiles = { directory: string; manifest: Manifest | null; files: LineFile[] };

const supportedVersion = 1;

/**
 * Finds the files in a directory. Only questions.jsonl is required.
 * @throws ArchiveError if the directory has no questions, or is an export of a newer version
 */
export async function findLineFiles(directory: string): Promise<LineFiles> {
  const names = new Set(await listNames(directory));
  const files: LineFile[] = [];
  for (const kind of lineKinds) {
    const name = `${kind}.jsonl`;
    if (!names.has(name)) continue;
    const file = path.join(directory, name);
    files.push({ kind, name, path: file, bytes: await getFileSize(file) });
  }
  if (!names.has('questions.jsonl'))
    throw new ArchiveError(
      `${directory} contains no questions.jsonl (docs/importing.md describes the files).`,
    );
  return { directory, manifest: names.has('export.json') ? await readManifest(directory) : null, files };
}

async function listNames(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT')
      throw new ArchiveError(`The directory ${directory} does not exist.`);
    throw unreadableError(directory, error);
  }
}

async function readManifest(directory: string): Promise<Manifest> {
  const file = path.join(directory, 'export.json');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadableError(file, error);
  });
  const parsed = manifestSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new ArchiveError(`export.json: ${describeIssue(parsed.error)}.`);
  if (parsed.data.version > supportedVersion)
    throw new ArchiveError(
      `export.json: version ${parsed.data.version} of the format is newer than this version of Parley. Upgrade Parley first.`,
    );
  return parsed.data;
}

/** Returns undefined for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function lineError(file: string, line: number, problem: string): ArchiveError {
  return new ArchiveError(`${file}, line ${line}: ${problem}.`);
}
