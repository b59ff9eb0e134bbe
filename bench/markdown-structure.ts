import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { unknownSiteUrl } from '#server/import-export/stack-exchange-fields.ts';
import { htmlToMarkdown } from '#server/import-export/stack-exchange-html.ts';
import { chooseContent } from '#server/import-export/stack-exchange-content.ts';
import { cleanText } from '#server/import-export/stack-exchange-characters.ts';
import { type ArchiveFile, findArchiveFiles } from '#server/import-export/stack-exchange-files.ts';
import { type ArchiveRow, readRows } from '#server/import-export/stack-exchange-xml.ts';
import { readMarkdown, readPage } from './markdown-structure/structure.ts';
import { answerHelp } from './usage.ts';

const usage = `Usage: bench/markdown-structure.ts DATA [--sites NAME,…] [--show N]

Compares the pages of Stack Exchange posts with what Parley shows after an import, by elements: lists, tables, code
blocks, quotes, headings, images, links with their targets, emphasis. DATA is a directory with unpacked archives.
'converted' is the Markdown that the import makes of a page without its history; 'stored' is what it stores, which is
often the Markdown of the author. What counts as equal is described in bench/markdown-structure/structure.ts.

  --sites   some archives only
  --show    prints the first N differences of each archive`;

answerHelp(usage);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sites: { type: 'string' }, show: { type: 'string', default: '0' } },
});
const [directory] = positionals;
if (directory === undefined) {
  console.error(usage);
  process.exit(1);
}

const isEqual = (a: readonly string[], b: readonly string[]) => a.join('\n') === b.join('\n');

const counts = { posts: 0, converted: 0, stored: 0, asTyped: 0 };
console.log('| archive | posts | converted | stored | stored as typed |\n|---|---|---|---|---|');
for (const name of await listArchives(directory)) {
  const result = await compareArchive(path.join(directory, name), Number(values.show));
  for (const key of ['posts', 'converted', 'stored', 'asTyped'] as const) counts[key] += result[key];
  console.log(formatRow(name, result));
}
console.log(formatRow('all', counts));

function formatRow(name: string, { posts, converted, stored, asTyped }: typeof counts): string {
  const share = (equal: number) => `${((equal / posts) * 100).toFixed(2)} % (${posts - equal} differ)`;
  return `| ${name} | ${posts} | ${share(converted)} | ${share(stored)} | ${((asTyped / posts) * 100).toFixed(1)} % |`;
}

async function listArchives(parent: string): Promise<string[]> {
  const names = values.sites?.split(',') ?? (await readdir(parent));
  const found: string[] = [];
  for (const name of names.toSorted()) {
    const files = await findArchiveFiles([path.join(parent, name)]).catch(() => null);
    if (files !== null) found.push(name);
  }
  return found;
}

async function compareArchive(archive: string, show: number): Promise<typeof counts> {
  const { posts: file, posthistory } = await findArchiveFiles([archive]);
  const typed = posthistory === undefined ? new Map<string, string>() : await readNewest(posthistory);
  const result = { posts: 0, converted: 0, stored: 0, asTyped: 0 };
  let shown = 0;
  for await (const row of rowsOf(file)) {
    const { Id: id = '', Body: body = '', PostTypeId: kind } = row;
    if ((kind !== '1' && kind !== '2') || body.trim() === '') continue;
    const page = readPage(cleanText(body), unknownSiteUrl);
    const converted = htmlToMarkdown(body.trim());
    const stored = chooseContent(typed.get(id) ?? null, body);
    const isConvertedEqual = isEqual(page, readMarkdown(converted));
    const isStoredEqual = isEqual(page, readMarkdown(stored.content));
    result.posts++;
    result.asTyped += Number(stored.source === 'markdown');
    result.converted += Number(isConvertedEqual);
    result.stored += Number(isStoredEqual);
    if ((isConvertedEqual && isStoredEqual) || shown++ >= show) continue;
    if (!isConvertedEqual) print(`${id} converted`, page, readMarkdown(converted), converted);
    if (!isStoredEqual && stored.source === 'markdown')
      print(`${id} as typed`, page, readMarkdown(stored.content), stored.content);
  }
  return result;
}

/** Prints the first lines that differ. */
function print(title: string, page: readonly string[], shown: readonly string[], markdown: string): void {
  const at = page.findIndex((line, index) => line !== shown[index]);
  const from = at === -1 ? page.length : at;
  const lines = (list: readonly string[], mark: string) =>
    list.slice(from, from + 4).map((line) => `   ${mark} ${JSON.stringify(line.slice(0, 160))}`);
  console.log(
    [`-- ${title} (${markdown.length} characters)`, ...lines(page, '-'), ...lines(shown, '+')].join('\n'),
  );
}

async function* rowsOf(file: ArchiveFile | undefined): AsyncGenerator<ArchiveRow> {
  if (file !== undefined) for await (const { rows } of readRows(file)) yield* rows;
}

/** The newest version of each post, as its member typed it. */
async function readNewest(file: ArchiveFile): Promise<Map<string, string>> {
  const newest = new Map<string, { at: string; text: string }>();
  for await (const row of rowsOf(file)) {
    const { PostId: post = '', CreationDate: at = '', Text: text = '', PostHistoryTypeId: kind = '' } = row;
    if (['2', '5', '8'].includes(kind) && at >= (newest.get(post)?.at ?? '')) newest.set(post, { at, text });
  }
  return new Map([...newest].map(([post, { text }]) => [post, text]));
}
