import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { getErrorCode } from '#server/core/startup-error.ts';
import {
  describeIssue,
  type LineKind,
  lineKinds,
  type Manifest,
  manifestSchema,
  rowSchemas,
} from './jsonl-format.ts';
import { ArchiveError, getFileSize, unreadableError } from './stack-exchange-errors.ts';

/** A file of JSON lines. */
export type LineFile = { kind: LineKind; name: string; path: string; bytes: number };

export type LineFiles = { directory: string; manifest: Manifest | null; files: LineFile[] };

/** Bytes that are read at once, and the longest line. */
const chunkBytes = 1024 * 1024;
const maxLineBytes = 16 * 1024 * 1024;

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

/** A valid row with the number of its line. */
export type NumberedRow<Row> = { line: number; row: Row };

/**
 * Reads the rows of a file in batches of about a megabyte.
 * @throws ArchiveError with the name of the file and the number of the line for the first row that is not valid
 */
export async function* readRows<Kind extends LineKind>(
  file: LineFile & { kind: Kind },
  signal?: AbortSignal,
): AsyncGenerator<{ rows: NumberedRow<ReturnType<(typeof rowSchemas)[Kind]['parse']>>[]; bytes: number }> {
  let rest = Buffer.alloc(0);
  let line = 0;
  const take = (lines: readonly Buffer[]) =>
    lines.flatMap((each) => {
      line++;
      const row = parseLine(file, line, each);
      return row === null ? [] : [{ line, row: row as ReturnType<(typeof rowSchemas)[Kind]['parse']> }];
    });
  const stream = createReadStream(file.path, { highWaterMark: chunkBytes, ...(signal && { signal }) });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const { lines, end } = splitLines(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]));
    if (end.length > maxLineBytes)
      throw lineError(file.name, line + lines.length + 1, 'the line is longer than 16 MB');
    rest = Buffer.from(end);
    yield { rows: take(lines), bytes: chunk.length };
  }
  if (rest.length > 0) yield { rows: take([rest]), bytes: 0 };
}

function splitLines(bytes: Buffer): { lines: Buffer[]; end: Buffer } {
  const lines: Buffer[] = [];
  let from = 0;
  for (let to = bytes.indexOf(0x0a, from); to >= 0; to = bytes.indexOf(0x0a, from)) {
    lines.push(bytes.subarray(from, to));
    from = to + 1;
  }
  return { lines, end: bytes.subarray(from) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns null for an empty line. */
function parseLine({ kind, name }: LineFile, line: number, bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes).trim();
  } catch {
    throw lineError(name, line, 'the line is not UTF-8');
  }
  if (text === '') return null;
  const value = parseJson(text);
  if (value === undefined) throw lineError(name, line, 'the line is not JSON');
  const parsed = rowSchemas[kind].safeParse(value);
  if (!parsed.success) throw lineError(name, line, describeIssue(parsed.error));
  return parsed.data;
}

export function lineError(file: string, line: number, problem: string): ArchiveError {
  return new ArchiveError(`${file}, line ${line}: ${problem}.`);
}
