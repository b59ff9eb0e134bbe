import { createHash } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { z } from 'zod';

/**
 * A backup is a tar archive that any tar and zstd can open. `backup.json` comes first and describes it.
 * `tables/NAME/NNNNNN.zst` are the rows of each table in PostgreSQL's text format of COPY, split anywhere.
 * `complete.json` comes last, with the number of rows and the SHA-256 of each table. Without it, the file is
 * incomplete.
 */
export const backupManifest = z.object({
  format: z.literal('parley backup 1'),
  /** Parley's version. */
  madeBy: z.string(),
  madeAt: z.iso.datetime(),
  /** The schema version: the migrations that had been applied, in order. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  tables: z.array(z.object({ name: identifier(), columns: z.array(identifier()) })),
});
export type BackupManifest = z.infer<typeof backupManifest>;

export const backupCompletion = z.object({
  /** SHA-256 of `backup.json`. */
  contents: z.string(),
  tables: z.array(z.object({ name: identifier(), rows: z.int(), sha256: z.string() })),
  /** The next value of each table's sequence. */
  sequences: z.array(
    z.object({ table: identifier(), column: identifier(), last: z.int(), called: z.boolean() }),
  ),
});
export type BackupCompletion = z.infer<typeof backupCompletion>;

/** The content of `complete.json`. */
const storedCompletion = z.strictObject({
  ...backupCompletion.shape,
  /** SHA-256 of all that comes before it; files of the first versions have none. */
  sha256: z.string().optional(),
});

/** Only names that this project gives to tables and columns, because they become part of SQL statements. */
function identifier() {
  return z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);
}

/** The file is not a backup, or differs from what was written. The message is for the operator. */
export class DamagedBackupError extends Error {}

/** Bytes of rows per piece, before compression. */
const maxPieceBytes = 4 * 1024 * 1024;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const zstd = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

/** The checksum of all rows of a table. */
export type TableChecksum = { rows: number; sha256: string };

/** Counts and hashes rows in a stream. In COPY's text format, each row ends with a line feed and contains no other. */
export function createRowChecksum() {
  const hash = createHash('sha256');
  let rows = 0;
  return {
    pass(bytes: Buffer): void {
      hash.update(bytes);
      for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) rows++;
    },
    rows: () => rows,
    done: (): TableChecksum => ({ rows, sha256: hash.digest('hex') }),
  };
}

export type BackupWriter = {
  writeManifest: (what: BackupManifest) => Promise<void>;
  /** @param passed called with each piece of rows that was written */
  writeTable: (name: string, rows: Readable, passed: (bytes: Buffer) => void) => Promise<void>;
  /** Ends the file; resolves when everything was written. */
  complete: (what: BackupCompletion) => Promise<void>;
};

/** SHA-256 of the content of `backup.json` or `complete.json`, to be stored in `complete.json`. */
export const computeDigest = (what: BackupManifest | BackupCompletion) =>
  createHash('sha256').update(toJsonText(what)).digest('hex');

const toJsonText = (what: object) => `${JSON.stringify(what, undefined, 1)}\n`;

/** Writes a backup to a stream with backpressure. */
export function createBackupWriter(to: Writable): BackupWriter {
  const tar = pack();
  const written = pipeline(tar, to);
  // The next write reports the error.
  written.catch(() => {});
  const modified = new Date();
  return {
    writeManifest: (what) => entry('backup.json', Buffer.from(toJsonText(what))),
    async writeTable(name, rows, passed) {
      let number = 0;
      for await (const piece of splitIntoPieces(rows)) {
        const compressed = await compress(piece, zstd);
        await entry(`tables/${name}/${String(++number).padStart(6, '0')}.zst`, compressed);
        passed(piece);
      }
    },
    async complete(what) {
      const whole = backupCompletion.parse(what);
      await entry('complete.json', Buffer.from(toJsonText({ ...whole, sha256: computeDigest(whole) })));
      tar.finalize();
      await written;
    },
  };

  async function entry(name: string, bytes: Buffer): Promise<void> {
    const added = new Promise<void>((resolve, reject) => {
      tar.entry({ name, size: bytes.length, mtime: modified, mode: 0o600 }, bytes, (error) =>
        error ? reject(error) : resolve(),
      );
    });
    await Promise.race([added, written]);
  }
}

async function* splitIntoPieces(rows: Readable): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const bytes of rows as AsyncIterable<Buffer>) {
    waiting.push(bytes);
    size += bytes.length;
    if (size < maxPieceBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(waiting);
}

/** The parts of a backup, in order. */
export type BackupPart =
  | { kind: 'contents'; contents: BackupManifest; bytes: number }
  /** Rows of a table; all pieces of one table follow each other. `bytes`: read from the file so far. */
  | { kind: 'rows'; table: string; rows: Buffer; bytes: number }
  | { kind: 'complete'; completion: BackupCompletion };

/**
 * Reads a backup from a stream.
 * @throws DamagedBackupError
 */
export async function* readBackup(from: Readable): AsyncGenerator<BackupPart> {
  let bytes = 0;
  let manifest: BackupManifest | undefined;
  let complete = false;
  for await (const { name, body } of readEntries(from)) {
    bytes += body.length + 512;
    if (complete) throw new DamagedBackupError('There is data after its end.');
    if (manifest === undefined) {
      if (name !== 'backup.json') throw new DamagedBackupError('It is not a Parley backup.');
      manifest = parse(backupManifest, body);
      yield { kind: 'contents', contents: manifest, bytes };
      continue;
    }
    const table = /^tables\/([a-z0-9_]+)\/\d+\.zst$/.exec(name)?.[1];
    if (table !== undefined) {
      if (!manifest.tables.some((each) => each.name === table))
        throw new DamagedBackupError(`It does not list the table ${table}.`);
      yield { kind: 'rows', table, rows: await decompressPiece(body), bytes };
      continue;
    }
    if (name !== 'complete.json') throw new DamagedBackupError(`${name} does not belong there.`);
    const { sha256, ...end } = parse(storedCompletion, body);
    if (sha256 !== undefined && sha256 !== computeDigest(end))
      throw new DamagedBackupError('complete.json was changed.');
    if (end.contents !== computeDigest(manifest)) throw new DamagedBackupError('backup.json was changed.');
    complete = true;
    yield { kind: 'complete', completion: end };
  }
  if (manifest === undefined) throw new DamagedBackupError('It is not a Parley backup.');
  if (!complete) throw new DamagedBackupError('It is incomplete: its end is missing.');
}

async function* readEntries(from: Readable): AsyncGenerator<{ name: string; body: Buffer }> {
  const tar = extract();
  let unread: Error | undefined;
  from.once('error', (error) => (unread = error));
  const reading = pipeline(from, tar);
  reading.catch(() => {});
  const entries = tar[Symbol.asyncIterator]();
  for (;;) {
    const entry = await readEntry(entries).catch(() => {
      throw unread ?? new DamagedBackupError('It is not a complete archive.');
    });
    if (entry === undefined) return;
    yield entry;
  }
}

async function readEntry(
  entries: ReturnType<ReturnType<typeof extract>[typeof Symbol.asyncIterator]>,
): Promise<{ name: string; body: Buffer } | undefined> {
  const { value: entry, done } = await entries.next();
  if (done === true) return undefined;
  const parts: Buffer[] = [];
  for await (const part of entry as AsyncIterable<Buffer>) parts.push(part);
  return { name: entry.header.name, body: Buffer.concat(parts) };
}

async function decompressPiece(piece: Buffer): Promise<Buffer> {
  try {
    return await decompress(piece, { maxOutputLength: 2 * maxPieceBytes });
  } catch {
    throw new DamagedBackupError('Some of its rows cannot be decompressed.');
  }
}

function parse<Shape>(schema: z.ZodType<Shape>, body: Buffer): Shape {
  try {
    return schema.parse(JSON.parse(body.toString('utf8')));
  } catch {
    throw new DamagedBackupError('This version of Parley cannot read it.');
  }
}
