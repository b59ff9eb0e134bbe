import type { ClientBase } from 'pg';
import { z } from 'zod';
import type { DumpFile } from './convert-dump.ts';
import { type CopyCell, copyRows } from './copy-rows.ts';
import { readJsonLines } from './json-lines.ts';
import { copyDump } from './sql-dump.ts';
import { DumpText } from './sql-dump-text.ts';
import { ArchiveError } from './stack-exchange-errors.ts';

/*
 * NodeBB stores objects under keys such as 'post:12'. In PostgreSQL they are rows of tables by their kind
 * (src/database/postgres.js of NodeBB/NodeBB), in MongoDB documents of one collection (src/database/mongo). Both become the
 * tables dump_legacy_hash, dump_legacy_zset and dump_legacy_set.
 */

const tables = {
  legacy_hash: ['_key', 'data'],
  legacy_zset: ['_key', 'value', 'score'],
  legacy_set: ['_key', 'member'],
} as const;

/** The keys of what is converted. All others are passed over. */
const wantedKeys = {
  hash: /^(?:user|topic|post|category):[1-9]\d{0,14}$/u,
  zset: /^(?:uid:[1-9]\d{0,14}:(?:up|down)vote|group:cid:\d+:privileges:groups:topics:read:members)$/u,
  set: /^topic:[1-9]\d{0,14}:tags$/u,
};

/**
 * Copies the objects of a dump of PostgreSQL, or of mongoexport: one JSON object per line.
 * @throws ArchiveError with the line of the first problem
 */
export async function copyNodebbDump(client: ClientBase, { file, name, onRead }: DumpFile): Promise<void> {
  const source = new DumpText(file, (bytes) => onRead(bytes, 0));
  try {
    await source.more();
    const start = source.text.trimStart();
    if (start.startsWith('{')) {
      await createTables(client);
      return await copyDocuments(client, source, (rows) => onRead(0, rows));
    }
    if (start.startsWith('['))
      throw new ArchiveError(`${name} is one JSON array. Run mongoexport without --jsonArray.`);
  } finally {
    source.close();
  }
  // What was read to tell the form is read again.
  let known = source.bytesRead;
  const found = await copyDump(client, file, {
    tables,
    onRead: (bytes, rows) => {
      const again = Math.min(bytes, known);
      known -= again;
      onRead(bytes - again, rows);
    },
  });
  if (!found.has('legacy_hash'))
    throw new ArchiveError(`${name} is not a dump of NodeBB: it has no rows of a table legacy_hash.`);
}

async function createTables(client: ClientBase): Promise<void> {
  for (const [table, columns] of Object.entries(tables))
    await client.query(
      `create temporary table dump_${table} (${columns.map((column) => `"${column}" text`).join(', ')})`,
    );
}

async function copyDocuments(
  client: ClientBase,
  source: DumpText,
  onRows: (rows: number) => void,
): Promise<void> {
  let isNodebb = false;
  for await (const rows of readJsonLines(source, document)) {
    const batch = createBatch();
    for (const { row } of rows) {
      isNodebb ||= typeof row['_key'] === 'string';
      addDocument(batch, row);
    }
    await copyBatch(client, batch);
    onRows(rows.length);
  }
  if (!isNodebb) throw new ArchiveError(`${source.name} is not an export of NodeBB: no object has a "_key".`);
}

const document = z.record(z.string(), z.unknown(), 'the line is not a JSON object');
type Document = z.infer<typeof document>;

type Batch = { hash: CopyCell[][]; zset: CopyCell[][]; set: CopyCell[][] };
const createBatch = (): Batch => ({ hash: [], zset: [], set: [] });

function addDocument(batch: Batch, { _id, _key: key, ...fields }: Document): void {
  if (typeof key !== 'string') return;
  if (wantedKeys.hash.test(key)) {
    const data = Object.entries(fields).map(([name, value]) => [name, toValue(value)]);
    batch.hash.push([key, JSON.stringify(Object.fromEntries(data))]);
  } else if (wantedKeys.zset.test(key))
    batch.zset.push([key, toText(fields['value']), toText(fields['score'])]);
  else if (wantedKeys.set.test(key) && Array.isArray(fields['members']))
    batch.set.push(...fields['members'].map((member) => [key, toText(member)]));
}

/** Numbers of MongoDB can be objects: {"$numberLong": "12"}. PostgreSQL cannot store zero bytes. */
function toValue(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '');
  if (typeof value !== 'object' || value === null) return value;
  const [[name, number] = []] = Object.entries(value);
  return name?.startsWith('$number') === true ? number : null;
}

function toText(value: unknown): string | null {
  const text = toValue(value);
  return typeof text === 'string' || typeof text === 'number' ? String(text) : null;
}

async function copyBatch(client: ClientBase, { hash, zset, set }: Batch): Promise<void> {
  if (hash.length > 0) await copyRows(client, 'dump_legacy_hash (_key, data)', hash);
  if (zset.length > 0) await copyRows(client, 'dump_legacy_zset (_key, value, score)', zset);
  if (set.length > 0) await copyRows(client, 'dump_legacy_set (_key, member)', set);
}
