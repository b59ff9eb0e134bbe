import type { ClientBase } from 'pg';
import type { Output } from '#server/core/progress.ts';
import { readBatches } from './read-batches.ts';
import { getRedirectPath, redirectTargets } from './redirect-targets.ts';
import type { RedirectFormat } from './stack-exchange-redirects.ts';
import type { ImportSource } from './stack-exchange-sources.ts';

/** Addresses that are read at once. */
const batchSize = 5_000;

/** Addresses with the same parameters. */
type Group = {
  /** As SQL returns them: 't&start', '' without parameters, or '*' for addresses whose whole query is compared. */
  names: string;
  /** The path ends with '/*', for anything in this place. */
  isBelow: boolean;
  count: number;
};

/**
 * Writes the redirects of a site that was imported from JSON lines. Each set of parameters has a map, because a web server
 * looks up an address by the parameters that the map names: '?t=12' is also found in '?f=2&t=12'. The default of a map
 * is the next one. Returns whether there are any addresses.
 */
export async function writeAddressMap(
  client: ClientBase,
  { source, format, out }: { source: ImportSource; format: RedirectFormat; out: Output },
): Promise<boolean> {
  await client.query('begin read only');
  try {
    const groups = await listGroups(client, source);
    const { start, startBelow, startMap, line, endMap, ignoresCase } = formats[format];
    if (groups.length === 0) return false;
    out.write(start(source.site));
    if (groups.some(({ isBelow }) => isBelow)) out.write(startBelow);
    for (const [index, group] of groups.entries()) {
      out.write(startMap(group, index, index + 1 < groups.length));
      await writeLines(client, {
        source,
        group,
        ignoresCase,
        write: (rows) => out.write(rows.map(line).join('')),
      });
      out.write(endMap);
    }
    return true;
  } finally {
    await client.query('rollback');
  }
}

/** The names of parameters in an address; '*' if one is not a word with a value, as in '/showthread.php?12-title'. */
const namesInAddress = String.raw`case
  when position('?' in address) = 0 then ''
  when address ~ '^[^?]*[?]([A-Za-z0-9_]+=[^&=]+)(&[A-Za-z0-9_]+=[^&=]+)*$'
    then regexp_replace(substring(address from '[?](.*)$'), '=[^&]*', '', 'g')
  else '*' end`;

const isBelowInAddress = `address ~ '^[^?]*/[*]([?]|$)'`;

/** Characters that quoted strings of the web servers cannot all have. */
const isPrintable = String.raw`address !~ '["\\{}$\x60]'`;

/** The groups, in the order in which Parley prefers addresses (imported-posts-routes.ts): more parameters, then posts. */
async function listGroups(client: ClientBase, { id }: ImportSource): Promise<Group[]> {
  const { rows } = await client.query<Group>(
    `select names, below as "isBelow", count(*)::int as count from (
       select ${namesInAddress} as names, ${isBelowInAddress} as below, kind from imported_redirect where source_id = $1 and ${isPrintable}) named
     group by names, below
     order by names = '*' desc, names = '', length(regexp_replace(names, '[^&]', '', 'g')) desc, below,
       bool_or(kind in ('answer', 'reply')) desc, names`,
    [id],
  );
  return rows;
}

type Line = { address: string; path: string };

async function writeLines(
  client: ClientBase,
  {
    source,
    group: { names, isBelow },
    ignoresCase,
    write,
  }: { source: ImportSource; group: Group; ignoresCase: boolean; write: (rows: readonly Line[]) => void },
): Promise<void> {
  const key = ignoresCase ? 'lower(address)' : 'address';
  const select = `
    select distinct on (${key}) address, ${redirectTargets.columns}
    from imported_redirect redirect ${redirectTargets.joins}
    where redirect.source_id = ${BigInt(source.id)} and ${isPrintable} and ${redirectTargets.isVisible}
      and ${namesInAddress} = '${names}' and ${isBelowInAddress} = ${isBelow}
    order by ${key}`;
  type Row = { address: string } & Parameters<typeof getRedirectPath>[0];
  for await (const rows of readBatches<Row>(client, select, batchSize))
    write(
      rows.map((row) => ({
        // A parameter without a value has no '=' in most addresses.
        address: names === '*' ? row.address.replaceAll(/=(?=&|$)/gu, '') : row.address,
        path: getRedirectPath(row),
      })),
    );
}

const getName = (index: number) => (index === 0 ? 'parley_path' : `parley_path_${index + 1}`);

const formats = {
  nginx: {
    ignoresCase: true,
    start: (
      site: string,
    ) => `# The addresses of ${site} and where they are in Parley. Include this file in the http block, with a larger
# map_hash_max_size if nginx asks for one. In the server block of ${site}:
#   if ($parley_path) { return 301 https://ADDRESS-OF-PARLEY$parley_path; }
map $uri $parley_uri {
  default $uri;
  "~^(?<parley_bare>.+?)/+$" $parley_bare;
}
`,
    startBelow: `map $parley_uri $parley_below {
  default "";
  "~^(?<parley_start>.*)/[^/]+$" "$parley_start/*";
}
`,
    startMap: ({ names, isBelow }: Group, index: number, hasNext: boolean) =>
      `map "${getKey(names, isBelow ? '$parley_below' : '$parley_uri', (name) => `$arg_${name}`, '$args')}" $${getName(index)} {\n` +
      `  default ${hasNext ? `$${getName(index + 1)}` : '""'};\n`,
    line: ({ address, path }: Line) => `  "${address}" "${path}";\n`,
    endMap: '}\n',
  },
  caddy: {
    ignoresCase: false,
    start: (
      site: string,
    ) => `# The addresses of ${site} and where they are in Parley. In the site block of ${site}:
#   import THIS-FILE
#   redir @parley_moved https://ADDRESS-OF-PARLEY{parley_path} 301
@parley_moved vars_regexp {parley_path} ^/
map {path} {parley_uri} {
  ~^(.+?)/+$ "\${1}"
  default {path}
}
`,
    startBelow: `map {parley_uri} {parley_below} {
  ~^(.*)/[^/]+$ "\${1}/*"
  default ""
}
`,
    startMap: ({ names, isBelow }: Group, index: number, hasNext: boolean) =>
      `map "${getKey(names, isBelow ? '{parley_below}' : '{parley_uri}', (name) => `{query.${name}}`, '{query}')}" {${getName(index)}} {\n` +
      `  default ${hasNext ? `{${getName(index + 1)}}` : '""'}\n`,
    line: ({ address, path }: Line) => `  "${address}" "${path}"\n`,
    endMap: '}\n',
  },
} as const satisfies Record<RedirectFormat, object>;

/** What a map looks up: the path with the parameters of its addresses, as in '$uri?t=$arg_t'. */
function getKey(names: string, path: string, getParameter: (name: string) => string, query: string): string {
  if (names === '') return path;
  if (names === '*') return `${path}?${query}`;
  return `${path}?${names
    .split('&')
    .map((name) => `${name}=${getParameter(name)}`)
    .join('&')}`;
}
