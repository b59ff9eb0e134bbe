import type { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Database } from '#server/core/database.ts';
import {
  listSources,
  postSources,
  type ExportRow,
  selectOwnMember,
  type ExportSource,
} from './data-export-sources.ts';

/** A file of the download. */
type ExportFile = { name: string; text: string };

/** Characters of a JSON file from which on the list goes on in another one. */
const maxFileChars = 1024 * 1024;

/**
 * Everything that is a member's, as a compressed tar archive at the pace of whoever takes it: JSON for programs, and
 * what they wrote once more as Markdown for people. Of others it holds nothing but the numbers of their posts. Files are
 * read one after the other, so that what is written meanwhile may be in some and not in others.
 */
export function createDataExport(
  db: Database,
  { memberId, site }: { memberId: number; site: string },
): Readable {
  const tar = pack();
  const compressed = createGzip();
  void write();
  tar.on('error', (error: Error) => compressed.destroy(error));
  compressed.on('close', () => tar.destroy());
  return tar.pipe(compressed);

  async function write(): Promise<void> {
    try {
      for await (const file of createFiles(db, { memberId, site })) await add(file);
      tar.finalize();
    } catch (error) {
      tar.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async function add({ name, text }: ExportFile): Promise<void> {
    const bytes = Buffer.from(text);
    const header = { name: `parley/${name}`, size: bytes.length, mtime: new Date(), mode: 0o600 };
    const { promise: taken, resolve, reject } = Promise.withResolvers<void>();
    const entry = tar.entry(header, (error) => (error ? reject(error) : resolve()));
    // Whoever stops taking it ends the archive, and with it this wait.
    tar.once('close', resolve);
    entry.end(bytes);
    await taken;
    tar.off('close', resolve);
    if (tar.destroyed) throw new Error('nobody takes the archive any more');
  }
}

async function* createFiles(
  db: Database,
  { memberId, site }: { memberId: number; site: string },
): AsyncGenerator<ExportFile> {
  yield { name: 'README.md', text: createReadme(site) };
  const own = await selectOwnMember(memberId).execute(db);
  yield { name: 'data/profile.json', text: toJson(own.rows[0]) };
  for (const [kind, source] of Object.entries(postSources))
    yield* createListFiles(source, readRows(db, source, memberId), (row) => ({
      name: `markdown/${kind}/${Number(row['id'])}.md`,
      text: toMarkdown(row, site),
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

/** A list as JSON, in as many files as it needs, and what each of its rows is beside that. */
async function* createListFiles(
  { file }: ExportSource,
  rows: AsyncIterable<ExportRow>,
  beside?: (row: ExportRow) => ExportFile,
): AsyncGenerator<ExportFile> {
  let [number, size]: [number, number] = [1, 0];
  let entries: string[] = [];
  const whole = (): ExportFile => ({
    name: `data/${file}${number === 1 ? '' : `-${number}`}.json`,
    text: `[${entries.join(',\n')}]\n`,
  });
  for await (const { key: _, ...row } of rows) {
    const text = JSON.stringify(row, undefined, 1);
    if (entries.length > 0 && size + text.length > maxFileChars) {
      yield whole();
      [number, size, entries] = [number + 1, 0, []];
    }
    entries.push(text);
    size += text.length;
    if (beside !== undefined) yield beside({ key: _, ...row });
  }
  yield whole();
}

const toJson = (value: unknown) => `${JSON.stringify(value, undefined, 1)}\n`;

/** A post as a person would file it. Its own text is Markdown already. */
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

function createReadme(site: string): string {
  const all = [...Object.values(postSources), ...listSources];
  return `# Everything of yours on Parley

From ${site === '' ? 'your Parley' : site}, ${new Date().toISOString()}.

- \`markdown/\` holds what you wrote, a file each, to read.
- \`data/\` holds everything, as JSON, for programs. A list that is long goes on in \`…-2.json\` and so on.

Times are ISO 8601 in UTC. Posts of others are named by their number alone: question 7 is at ${site}/question/7.

| file | holds |
|---|---|
| \`data/profile.json\` | who you are here, and what you decided about that |
${all.map(({ file, about }) => `| \`data/${file}.json\` | ${about} |`).join('\n')}

Not in here: secrets (your password's hash, recovery codes, the keys of sessions, passkeys, push devices and your
authenticator app), and the keys by which a post that was sent twice is noticed, which are kept for a day or so.
`;
}
