import type { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Database } from '#server/core/database.ts';
import type { ObjectStore } from '#server/core/object-store.ts';
import { readLargestFile } from '#server/posts/index.ts';
import {
  listSources,
  postSources,
  type ExportRow,
  selectOwnMember,
  type ExportSource,
  uploadSource,
} from './data-export-sources.ts';

type DataExportOptions = {
  memberId: number;
  site: string;
  siteName: string;
  objectStore: ObjectStore | undefined;
};

/** A file of the export. */
type ExportFile = { name: string; content: string | Buffer };

/** Characters after which a JSON list continues in another file. */
const maxFileChars = 1024 * 1024;

/**
 * Creates an export of everything that belongs to a member as a compressed tar stream with backpressure: JSON for
 * programs, the member's posts also as Markdown, and the member's pictures. It contains nothing of other members except
 * the ids of their posts. The files are read one after the other, so content written meanwhile can be in some files
 * only.
 */
export function createDataExport(
  db: Database,
  { memberId, site, siteName, objectStore }: DataExportOptions,
): Readable {
  const tar = pack();
  const compressed = createGzip();
  void write();
  tar.on('error', (error: Error) => compressed.destroy(error));
  compressed.on('close', () => tar.destroy());
  return tar.pipe(compressed);

  async function write(): Promise<void> {
    try {
      for await (const file of createFiles(db, { memberId, site, siteName, objectStore })) await add(file);
      tar.finalize();
    } catch (error) {
      tar.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async function add({ name, content }: ExportFile): Promise<void> {
    const bytes = Buffer.from(content);
    const header = { name: `parley/${name}`, size: bytes.length, mtime: new Date(), mode: 0o600 };
    const { promise: sent, resolve, reject } = Promise.withResolvers<void>();
    const entry = tar.entry(header, (error) => (error ? reject(error) : resolve()));
    // A client that disconnects ends the archive, and with it this wait.
    tar.once('close', resolve);
    entry.end(bytes);
    await sent;
    tar.off('close', resolve);
    if (tar.destroyed) throw new Error('the client stopped reading the archive');
  }
}

async function* createFiles(
  db: Database,
  { memberId, site, siteName, objectStore }: DataExportOptions,
): AsyncGenerator<ExportFile> {
  yield { name: 'README.md', content: createReadme({ site, siteName }) };
  const own = await selectOwnMember(memberId).execute(db);
  yield { name: 'data/profile.json', content: toJson(own.rows[0]) };
  for (const [kind, source] of Object.entries(postSources))
    yield* createListFiles(source, readRows(db, source, memberId), (row) => ({
      name: `markdown/${kind}/${Number(row['id'])}.md`,
      content: toMarkdown(row, site),
    }));
  yield* createListFiles(uploadSource, readRows(db, uploadSource, memberId), async ({ name }) => ({
    name: `pictures/${String(name)}.webp`,
    content: await readLargestFile({ db, objectStore }, String(name)),
  }));
  for (const source of listSources) yield* createListFiles(source, readRows(db, source, memberId));
}

async function* readRows(db: Database, source: ExportSource, memberId: number): AsyncGenerator<ExportRow> {
  let after: string | number | null = null;
  for (;;) {
    const { rows }: { rows: ExportRow[] } = await source.rows(memberId, after).execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < source.pageSize) return;
    after = last.key;
  }
}

/** Writes a list as JSON in as many files as it needs, and calls `beside` for each row. */
async function* createListFiles(
  { file }: ExportSource,
  rows: AsyncIterable<ExportRow>,
  createAttachment?: (row: ExportRow) => ExportFile | Promise<ExportFile>,
): AsyncGenerator<ExportFile> {
  let [number, size]: [number, number] = [1, 0];
  let entries: string[] = [];
  const createFile = (): ExportFile => ({
    name: `data/${file}${number === 1 ? '' : `-${number}`}.json`,
    content: `[${entries.join(',\n')}]\n`,
  });
  for await (const { key: _, ...row } of rows) {
    const text = JSON.stringify(row, undefined, 1);
    if (entries.length > 0 && size + text.length > maxFileChars) {
      yield createFile();
      [number, size, entries] = [number + 1, 0, []];
    }
    entries.push(text);
    size += text.length;
    if (createAttachment !== undefined) yield await createAttachment({ key: _, ...row });
  }
  yield createFile();
}

const toJson = (value: unknown) => `${JSON.stringify(value, undefined, 1)}\n`;

/** Formats a post as Markdown. Its text is Markdown already. */
function toMarkdown(row: ExportRow, site: string): string {
  const { title, content, createdAt, editedAt, tags, questionId, answerId, id } = row;
  const page = `${site}/question/${Number(questionId ?? id)}`;
  const anchor =
    questionId === undefined ? '' : answerId === undefined ? `#answer-${Number(id)}` : `#reply-${Number(id)}`;
  const facts = [
    `Written: ${formatTime(createdAt)}`,
    ...(editedAt === null ? [] : [`Edited: ${formatTime(editedAt)}`]),
    ...(Array.isArray(tags) && tags.length > 0 ? [`Tags: ${tags.join(', ')}`] : []),
    `Address: ${page}${anchor}`,
  ];
  const heading = typeof title === 'string' ? `# ${title}\n\n` : '';
  return `${heading}${facts.map((fact) => `- ${fact}`).join('\n')}\n\n${String(content)}\n`;
}

const formatTime = (time: unknown) => (time instanceof Date ? time.toISOString() : String(time));

function createReadme({ site, siteName }: { site: string; siteName: string }): string {
  const all = [...Object.values(postSources), uploadSource, ...listSources];
  return `# Your data on ${siteName}

From ${site === '' ? siteName : site}, ${new Date().toISOString()}.

- \`markdown/\` contains your posts, one file each, for reading.
- \`pictures/\` contains your pictures as WebP.
- \`data/\` contains everything as JSON, for programs. A long list continues in \`…-2.json\` and so on.

Times are ISO 8601 in UTC. Posts of others appear only with their ids: question 7 is at ${site}/question/7.

| file | contains |
|---|---|
| \`data/profile.json\` | your profile and settings |
${all.map(({ file, about }) => `| \`data/${file}.json\` | ${about} |`).join('\n')}

Not included: secrets (your password's hash, recovery codes, the keys of sessions, API tokens, passkeys, push devices and your
authenticator app), and the idempotency keys that detect a post sent twice, which are stored for about a day.
`;
}
