import type { ClientBase } from 'pg';
import { one } from '#server/core/sql.ts';
import { ArchiveError } from './stack-exchange-errors.ts';
import { formatNumber } from './stack-exchange-tally.ts';

/** A site that posts of this community were imported from. */
export interface ImportSource {
  id: string;
  site: string;
  /** Earlier names of the site. Archives with these names belong to it too. */
  formerSites: string[];
  /** The posts of the site were moved here: they show no source. */
  isOwn: boolean;
}

/** The number of staged posts with a number that a post of this source has, and how many of these are the same post. */
export interface SourceOverlap {
  source: ImportSource;
  numbers: number;
  same: number;
}

const columns = 'import_source.id, site, former_sites as "formerSites", is_own as "isOwn"';

/** Returns the source with this name, also if it is a former name. */
export async function findSource(client: ClientBase, site: string): Promise<ImportSource | null> {
  const { rows } = await client.query<ImportSource>(
    `select ${columns} from import_source where site = $1 or $1 = any(former_sites) order by site = $1 desc limit 1`,
    [site],
  );
  return rows[0] ?? null;
}

export async function insertSource(client: ClientBase, site: string): Promise<ImportSource> {
  const { rows } = await client.query<ImportSource>(
    `insert into import_source (site, license) values ($1, 'CC BY-SA') returning ${columns}`,
    [site],
  );
  return one(rows);
}

/**
 * Compares the staged archive with all imported posts, also hidden and deleted ones, except those of undone imports. Two
 * posts are the same if number, kind and creation time (in milliseconds) are equal.
 */
export async function findOverlaps(client: ClientBase): Promise<SourceOverlap[]> {
  const { rows } = await client.query<ImportSource & { numbers: string; same: string }>(`
    select ${columns}, numbers, same
    from (
      select source_id, count(*) as numbers,
        count(*) filter (where known.created_at = post.created
          and known.kind = case post.kind when 1 then 'question' else 'answer' end) as same
      from archive_post post
      join imported_row known on known.kind in ('question', 'answer') and known.source_key = post.id::text
        and known.id <> 0
      group by source_id) shared
    join import_source on import_source.id = source_id
    order by same desc, site`);
  return rows.map(({ numbers, same, ...source }) => ({
    source,
    numbers: Number(numbers),
    same: Number(same),
  }));
}

/** Fewer posts can be the same by chance. */
const minSamePosts = 3;

export interface SourceRequest {
  site: string;
  /** The name under which the site's posts were imported, if it has been renamed. */
  continues: string | undefined;
  overlaps: readonly SourceOverlap[];
  /** Number of posts in the archive. */
  posts: number;
}

/**
 * Chooses the source that the staged archive belongs to.
 * @throws ArchiveError if it belongs to another one
 */
export async function chooseSource(
  client: ClientBase,
  wanted: SourceRequest,
): Promise<{ source: ImportSource; renamed: boolean }> {
  const { site, continues } = wanted;
  const target = await findSource(client, site);
  if (continues !== undefined) return continueSource(client, { ...wanted, target, continues });
  assertSameSource(wanted, target);
  if (target !== null && (await hasKeys(client, target, 'paths')))
    throw new ArchiveError(
      `Posts of ${target.site} were imported from JSON lines. Import its newer exports with "parley import jsonl".`,
    );
  return { source: target ?? (await insertSource(client, site)), renamed: false };
}

/** Archives have a user -1, 'Community'. */
const numberPattern = String.raw`^-?\d+$`;

/** Whether posts or members of a source have numbers of a Stack Exchange site as keys, or paths of pages. */
export async function hasKeys(
  client: ClientBase,
  { id }: ImportSource,
  keys: 'numbers' | 'paths',
): Promise<boolean> {
  const match = keys === 'numbers' ? '~' : '!~';
  const { rows } = await client.query<{ found: boolean }>(
    `select exists (select from base_question where source_id = $1 and source_key ${match} $2)
       or exists (select from member where source_id = $1 and source_key ${match} $2) as found`,
    [id, numberPattern],
  );
  return rows[0]?.found === true;
}

/** Whether enough of the archive exists from this source to be an archive of it. */
export function isArchiveOf(
  source: ImportSource | null,
  { overlaps: all, posts }: Pick<SourceRequest, 'overlaps' | 'posts'>,
) {
  return countSame(source, all) >= Math.max(1, Math.min(minSamePosts, posts));
}

function countSame(source: ImportSource | null, all: readonly SourceOverlap[]): number {
  return all.find((each) => each.source.id === source?.id)?.same ?? 0;
}

function assertSameSource(wanted: SourceRequest, target: ImportSource | null): void {
  const { site, overlaps: all, posts } = wanted;
  const most = all.find(({ source }) => source.id !== target?.id && isArchiveOf(source, wanted));
  if (most !== undefined && most.same > countSame(target, all)) {
    const other = most.source.site;
    throw new ArchiveError(
      `${formatNumber(most.same)} of the ${formatNumber(posts)} posts of this archive were already imported from ${other}: ` +
        `import it with "--site ${other}", or with "--continues ${other}" if that site is now called ${site}.`,
    );
  }
  const existing = all.find(({ source }) => source.id === target?.id);
  if (existing !== undefined && existing.numbers - existing.same > existing.same) {
    throw new ArchiveError(
      `The archive is not from ${site}: ${formatNumber(existing.numbers - existing.same)} of its posts have the numbers of other ` +
        `existing posts of ${site}. Give its site with "--site NAME.stackexchange.com".`,
    );
  }
}

async function continueSource(
  client: ClientBase,
  wanted: SourceRequest & { target: ImportSource | null; continues: string },
): Promise<{ source: ImportSource; renamed: boolean }> {
  const { site, target, continues } = wanted;
  const old = await findSource(client, continues);
  if (old === null)
    throw new ArchiveError(`No archive of ${continues} was imported here${await others(client)}.`);
  if (old.id === target?.id) {
    assertSameSource(wanted, target);
    return { source: old, renamed: false };
  }
  if (target !== null) {
    throw new ArchiveError(
      `Archives of ${old.site} and of ${target.site} were both imported here: one cannot continue the other.`,
    );
  }
  if (!isArchiveOf(old, wanted)) {
    throw new ArchiveError(
      `The archive does not continue ${old.site}: none of its posts were imported from that site.`,
    );
  }
  await client.query(
    'update import_source set site = $2, former_sites = array_append(former_sites, site) where id = $1',
    [old.id, site],
  );
  return { source: { ...old, site, formerSites: [...old.formerSites, old.site] }, renamed: true };
}

async function others(client: ClientBase): Promise<string> {
  const sources = await listSources(client);
  return sources.length === 0 ? '' : `, only of ${sources.map(({ site }) => site).join(', ')}`;
}

/** Returns the first sites by name. */
export async function listSources(client: ClientBase): Promise<ImportSource[]> {
  const { rows } = await client.query<ImportSource>(
    `select ${columns} from import_source order by site limit 20`,
  );
  return rows;
}
