import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import type { Progress } from '#server/core/progress.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { ObjectStore } from '#server/core/object-store.ts';
import { readFileContent } from '#server/posts/index.ts';
import * as queries from './export-queries.ts';
import { type ArchiveWriter, createArchiveWriters } from './export-stack-exchange.ts';
import { type LineKind, lineKinds, privateKinds } from './jsonl-format.ts';
import { writeNewDirectory } from './new-directory.ts';
import type { ExportFormat } from './export-command.ts';
import { ArchiveError } from './stack-exchange-errors.ts';

export type ExportOptions = {
  /** A directory that does not exist, or is empty. */
  directory: string;
  /** A dedicated connection. The export restores its settings. */
  client: Client;
  format: ExportFormat;
  /** The bucket for the files of pictures. Absent: they are in the database. */
  objectStore?: ObjectStore | undefined;
  /** Also email addresses, who voted, follows and bookmarks. */
  withPrivateData: boolean;
  /** The licence of posts that were written here, such as 'CC BY-SA 4.0'. Undefined if none is stated. */
  license: string | undefined;
  /** The address of the community without a trailing slash, for links. */
  origin: string;
  progress?: Progress;
  /** Aborts the export; nothing of it stays. */
  signal?: AbortSignal;
};

export type ExportSummary = {
  counts: ReadonlyMap<LineKind, number>;
  pictureFiles: number;
  /** Files of pictures whose object is missing in the object store. They are left out. */
  missingPictureFiles: number;
};

/** The version of the format of the JSON lines (docs/exporting.md). It changes when readers have to change. */
const formatVersion = 1;

/**
 * Writes the community as of the start of the export to a directory, completely or not at all, while it is being served.
 * @throws ArchiveError if the directory cannot be written, and the signal's reason if it was aborted
 */
export async function exportCommunity(options: ExportOptions): Promise<ExportSummary> {
  const { client, directory, withPrivateData, signal } = options;
  return writeNewDirectory({ directory, isPrivate: withPrivateData }, async (partial) => {
    // PostgreSQL ends the transaction when the connection ends, also during a long statement.
    const closeConnection = () => void client.end();
    signal?.addEventListener('abort', closeConnection, { once: true });
    client.on('error', ignore);
    try {
      signal?.throwIfAborted();
      await queries.beginSnapshot(client);
      await requireLicense(options);
      const summary = await writeFiles(options, partial);
      await queries.endSnapshot(client);
      signal?.throwIfAborted();
      return summary;
    } catch (error) {
      signal?.throwIfAborted();
      await queries.endSnapshot(client).catch(ignore);
      throw error;
    } finally {
      signal?.removeEventListener('abort', closeConnection);
      client.off('error', ignore);
    }
  });
}

function ignore(): void {}

/** Readers of archives take a licence of Stack Exchange, by date, for posts that state none. */
async function requireLicense({ client, format, license }: ExportOptions): Promise<void> {
  if (format !== 'stackexchange' || license !== undefined) return;
  if (await queries.hasTextsWithoutLicense(client))
    throw new ArchiveError(
      'An archive states the licence of each text. Give that of your members\' posts and topics with "--license NAME", such as "CC BY-SA 4.0".',
    );
}

async function writeFiles(options: ExportOptions, partial: string): Promise<ExportSummary> {
  const { client, format, withPrivateData, progress } = options;
  const kinds = lineKinds.filter((kind) => withPrivateData || !privateKinds.includes(kind));
  const counts = await queries.countExported(client, kinds);
  progress?.start([...counts.values()].reduce((sum, count) => sum + count, 0));
  try {
    const writers = format === 'jsonl' ? createLineWriters(kinds) : createArchiveWriters(options);
    let done = 0;
    for (const writer of writers) {
      const file = path.join(partial, writer.file);
      const onRows = (rows: number) => progress?.update(writer.file, (done += rows), done);
      await pipeline(
        Readable.from(readLines(options, writer, onRows)),
        createWriteStream(file, { flags: 'wx' }),
        { signal: options.signal },
      );
    }
    const pictures = format === 'jsonl' ? await writePictures(options, partial) : { written: 0, missing: 0 };
    if (format === 'jsonl') await writeManifest(options, { partial, counts });
    return { counts, pictureFiles: pictures.written, missingPictureFiles: pictures.missing };
  } finally {
    progress?.stop();
  }
}

/** Each kind is a file of its own, a row per line. */
function createLineWriters(kinds: readonly LineKind[]): ArchiveWriter[] {
  return kinds.map((kind) => ({
    file: `${kind}.jsonl`,
    begin: '',
    parts: [{ kind, write: (line) => `${line}\n` }],
    end: '',
  }));
}

/** The text of a file, in pieces of a few hundred rows. */
async function* readLines(
  { client, format, withPrivateData }: ExportOptions,
  { begin, parts, end }: ArchiveWriter,
  onRows: (rows: number) => void,
): AsyncGenerator<string> {
  if (begin !== '') yield begin;
  for (const { kind, write } of parts)
    for await (const lines of queries.readExported(client, kind, {
      withPrivateData,
      isArchive: format === 'stackexchange',
    })) {
      const text = lines.map(write).join('');
      if (text !== '') yield text;
      onRows(lines.length);
    }
  if (end !== '') yield end;
}

async function writePictures(
  { client, objectStore, signal }: ExportOptions,
  partial: string,
): Promise<{ written: number; missing: number }> {
  let [written, missing] = [0, 0];
  for await (const { name, width, height, ...file } of queries.readPictures(client)) {
    signal?.throwIfAborted();
    const content = await readPicture(file, objectStore);
    if (content === undefined) {
      missing++;
      continue;
    }
    const pictureDirectory = path.join(partial, 'pictures', name);
    await mkdir(pictureDirectory, { recursive: true });
    await writeFile(path.join(pictureDirectory, `${width}x${height}.webp`), content, { flag: 'wx' });
    written++;
  }
  return { written, missing };
}

/** Returns undefined if the object of a file is missing. */
async function readPicture(
  file: { content: Buffer | null; key: string | null },
  objectStore: ObjectStore | undefined,
): Promise<Buffer | undefined> {
  try {
    return await readFileContent(file, objectStore);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (error.code === 'upload-not-found') return undefined;
    throw new ArchiveError(
      objectStore === undefined
        ? 'Pictures are in an object store, and S3_BUCKET is not set.'
        : 'The object store with the pictures does not respond.',
      { cause: error },
    );
  }
}

async function writeManifest(
  { client, withPrivateData, license, origin }: ExportOptions,
  { partial, counts }: { partial: string; counts: ReadonlyMap<LineKind, number> },
): Promise<void> {
  const { rows } = await client.query<{ at: string }>(
    `select to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at`,
  );
  const manifest = {
    format: 'parley-export',
    version: formatVersion,
    name: await queries.readSiteName(client),
    origin,
    exportedAt: rows[0]?.at,
    withPrivateData,
    license,
    rows: Object.fromEntries(counts),
  };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeFile(path.join(partial, 'export.json'), text, { flag: 'wx' });
}
