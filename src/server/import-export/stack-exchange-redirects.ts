import type { ClientBase } from 'pg';
import type { Output } from '#server/core/progress.ts';
import { ArchiveError } from './stack-exchange-errors.ts';
import { getPostPath } from './stack-exchange-links-queries.ts';
import { readBatches } from './read-batches.ts';
import { writeAddressMap } from './redirect-maps.ts';
import { findSource, hasKeys, type ImportSource, listSources } from './stack-exchange-sources.ts';

export const redirectFormats = ['nginx', 'caddy'] as const;
export type RedirectFormat = (typeof redirectFormats)[number];

/** Posts that are read at once. */
const batchSize = 5_000;

/**
 * The number in `/questions/1`, `/questions/1/title`, `/q/1` and `/a/2`; of `/questions/1/title/2` that of the answer.
 * For PCRE (nginx) and RE2 (Caddy).
 */
const numberInPath = String.raw`^/(?:questions/\d+/[^/]+/|questions/|q/|a/)(NAME\d+)(?:/|$)`;

/** The files: `start`, a line for each post, and `}`. */
const maps = {
  nginx: {
    start: (
      site: string,
    ) => `# The addresses of ${site} and where its posts are in Parley. Include this file in the http block, with a larger
# map_hash_max_size if nginx asks for one. In the server block of ${site}:
#   if ($parley_path) { return 301 https://ADDRESS-OF-PARLEY$parley_path; }
map $uri $parley_number {
  default "";
  "~${numberInPath.replace('NAME', '?<number>')}" $number;
}
map $parley_number $parley_path {
  default "";
`,
    line: (number: string, path: string) => `  ${number} "${path}";\n`,
  },
  caddy: {
    start: (
      site: string,
    ) => `# The addresses of ${site} and where its posts are in Parley. In the site block of ${site}:
#   import THIS-FILE
#   redir @parley_moved https://ADDRESS-OF-PARLEY{parley_path} 301
@parley_number path_regexp parley_number ${numberInPath.replace('NAME', '')}
@parley_moved vars_regexp {parley_path} ^/question/
map @parley_number {re.parley_number.1} {parley_path} {
  default ""
`,
    line: (number: string, path: string) => `  ${number} "${path}"\n`,
  },
} as const satisfies Record<RedirectFormat, object>;

/**
 * Writes the paths of all visible posts of an imported site as a map for a web server. Of a site that was imported from
 * JSON lines, it is that of its redirects.
 * @param site its name, or a former one; undefined if posts of only one site were imported
 * @throws ArchiveError if it is not clear which site is meant
 */
export async function writeRedirects(
  client: ClientBase,
  { site, format, out }: { site: string | undefined; format: RedirectFormat; out: Output },
): Promise<void> {
  const source = await chooseImportedSite(client, site);
  if (await writeAddressMap(client, { source, format, out })) return;
  if (!(await hasKeys(client, source, 'numbers')))
    throw new ArchiveError(
      `${source.site} was imported from JSON lines without redirects.jsonl: its addresses are not known.`,
    );
  const { start, line } = maps[format];
  await client.query('begin read only');
  try {
    const select = `
      select known.source_key, coalesce(answer.question_id, question.id) as question_id, answer.id as answer_id
      from imported_row known
      left join question on known.kind = 'question' and question.id = known.id
      left join answer on known.kind = 'answer' and answer.id = known.id
      where known.source_id = ${BigInt(source.id)} and coalesce(question.id, answer.id) is not null
      order by known.source_key::bigint`;
    out.write(start(source.site));
    for await (const rows of readBatches<PostRow>(client, select, batchSize))
      out.write(rows.map((row) => line(row.source_key, getPostPath(row))).join(''));
    out.write('}\n');
  } finally {
    await client.query('rollback');
  }
}

type PostRow = { source_key: string; question_id: string; answer_id: string | null };

async function chooseImportedSite(client: ClientBase, site: string | undefined): Promise<ImportSource> {
  const sources = await listSources(client);
  const [only, ...more] = site === undefined ? sources : [(await findSource(client, site)) ?? undefined];
  if (only !== undefined && more.length === 0) return only;
  const names = sources.map((each) => each.site).join(', ');
  if (names === '') throw new ArchiveError('No archive was imported here.');
  throw new ArchiveError(
    site === undefined
      ? `Archives of several sites were imported here. Name one of them: ${names}.`
      : `No archive of ${site} was imported here, only of ${names}.`,
  );
}
