import type { ClientBase } from 'pg';
import { limits } from '#shared/core/limits.ts';
import type { ImportSource } from './stack-exchange-sources.ts';
import { findPostLinks } from './stack-exchange-links.ts';
import { getLinkHosts, linkTexts } from './stack-exchange-links-queries.ts';
import { contentColumn, hashOf, literal } from './stack-exchange-queries.ts';
import { conflictReason, newerReason } from './stack-exchange-tally.ts';

/**
 * Finds the tags that the staged texts describe: the one that an earlier import described with it, else the one with the
 * name. The table `archive_described` has a row for each text. Runs after tags and posts are added.
 */
export async function findDescribedTags(
  client: ClientBase,
  { source, siteAddress }: { source: ImportSource; siteAddress: string },
): Promise<void> {
  await client.query(`
    create temporary table archive_described (
      id bigint primary key, kind text not null, content text not null, license text not null, has_links boolean not null,
      path text, tag_id bigint, is_known boolean not null, is_synonym boolean not null, outcome text) on commit drop`);
  await client.query(
    `insert into archive_described
     select item.id, item.kind, ${contentColumn('$2')}, item.license, item.has_links, named.path,
       coalesce(known.tag_id, tag.synonym_of, tag.id), known.tag_id is not null, tag.synonym_of is not null
     from archive_tag_text item
     left join (
       select distinct on (id) * from (
         select excerpt as id, 'description' as kind, key, path, line from archive_tag
         union all select wiki, 'about', key, path, line from archive_tag) referring
       where id is not null order by id, line) named on named.id = item.id and named.kind = item.kind
     left join tag on tag.key = named.key
     left join imported_tag_text known on known.source_id = $1 and known.source_key = item.id::text
       and known.kind = item.kind`,
    [source.id, siteAddress],
  );
  await client.query('analyze archive_described');
  await linkDescribed(client, source);
}

/** Rewrites links to imported posts, as in posts. */
async function linkDescribed(client: ClientBase, source: ImportSource): Promise<void> {
  const hosts = await getLinkHosts(client, source);
  const texts = 'select id, content from archive_described where has_links';
  for await (const { ids, contents } of linkTexts(client, texts, (text) => findPostLinks(text, hosts)))
    await client.query(
      `update archive_described set content = linked.content
       from unnest($1::bigint[], $2::text[]) as linked (id, content) where archive_described.id = linked.id`,
      [ids, contents],
    );
}

/** SQL that selects the tags whose texts may change. */
export const describedTags = (sourceId: string) => `
  select tag_id from archive_described union select tag_id from imported_tag_text where source_id = ${literal(sourceId)}`;

/** What became of texts of tags. */
export type TagTextChanges = { added: number; updated: number; removed: number };

/**
 * Writes the staged texts to tags without one, and remembers where they are from. With `isRefresh`, texts that an earlier
 * import wrote and that nothing here changed become what the archive has, or go if it has them no more. Runs after
 * `findDescribedTags`, while the tags are locked.
 * @param hasTags whether the archive has the file of tags
 */
export async function applyTagTexts(
  client: ClientBase,
  wanted: { sourceId: string; runId: string | null; isRefresh: boolean; hasTags: boolean },
): Promise<TagTextChanges> {
  const { sourceId, runId, isRefresh, hasTags } = wanted;
  await client.query(`update archive_described described set outcome = chosen.outcome from (${outcomes(isRefresh)}) chosen
    where chosen.id = described.id`);
  await client.query(`
    create temporary table archive_undescribed on commit drop as
    select tag_id, kind from imported_tag_text known
    where ${String(isRefresh && hasTags)} and source_id = ${literal(sourceId)} and ${isAsImported}
      and exists (select from archive_described where path is not null)
      and not exists (select from archive_described where id::text = known.source_key and path is not null)`);
  await client.query(`
    with written as (
      select tag_id, max(content) filter (where kind = 'description') as description,
        max(content) filter (where kind = 'about') as about
      from archive_described where outcome in ('taken', 'updated') group by tag_id)
    update tag set description = coalesce(written.description, tag.description), about = coalesce(written.about, tag.about)
    from written where tag.id = written.tag_id`);
  await client.query(
    `insert into imported_tag_text (tag_id, kind, source_id, source_key, path, license, content_hash, run_id)
     select tag_id, kind, $1, id::text, path, license, ${hashOf('content')}, $2 from archive_described
     where outcome = 'taken' order by tag_id, kind`,
    [sourceId, runId],
  );
  await client.query(`
    update imported_tag_text known set path = described.path, license = described.license,
      content_hash = ${hashOf('described.content')}
    from archive_described described
    where outcome = 'updated' and known.tag_id = described.tag_id and known.kind = described.kind`);
  await removeTagTexts(client, 'archive_undescribed');
  await publishTagChanges(client, runId);
  const { rows } = await client.query<Record<keyof TagTextChanges, string>>(`
    select count(*) filter (where outcome = 'taken') as added, count(*) filter (where outcome = 'updated') as updated,
      (select count(*) from archive_undescribed) as removed
    from archive_described`);
  const [row] = rows;
  return { added: Number(row?.added), updated: Number(row?.updated), removed: Number(row?.removed) };
}

/** SQL: the text of the tag of a row of `imported_tag_text known`. */
const textHere = `(select case known.kind when 'description' then description else about end from tag where tag.id = known.tag_id)`;

/** SQL: whether a row of `imported_tag_text known` is about a text that is as the last import wrote it. */
export const isAsImported = `(not known.is_removed and coalesce(md5(${textHere})::uuid = known.content_hash, false))`;

/** Removes texts of tags that a table names by `tag_id` and `kind`, and where they are from. */
export async function removeTagTexts(client: ClientBase, table: string): Promise<void> {
  const isNamed = (kind: string) =>
    `exists (select from ${table} named where named.tag_id = tag.id and named.kind = '${kind}')`;
  await client.query(`
    update tag set description = case when not ${isNamed('description')} then description end,
      about = case when not ${isNamed('about')} then about end
    where id in (select tag_id from ${table});
    delete from imported_tag_text using ${table} named
    where imported_tag_text.tag_id = named.tag_id and imported_tag_text.kind = named.kind`);
}

/** SQL: the outcome of each text of tags that the archive has. */
const outcomes = (isRefresh: boolean) => `
  select described.id, case
      when described.path is null then 'of tags that are not in the archive'
      when described.tag_id is null then 'of tags that no question here has'
      when char_length(content) > ${limits.tagAbout} then 'tag wikis with more than ${limits.tagAbout.toLocaleString('en')} characters'
      when is_known then case
        when known.content_hash = ${hashOf('content')} and (known.license, known.path) = (described.license, described.path)
          then 'known'
        when known.is_removed or ${textHere} is null then '${conflictReason('removed here')}'
        when not ${isAsImported} then '${conflictReason('changed here')}'
        else '${isRefresh ? 'updated' : newerReason('texts of tags that changed since')}' end
      when known.tag_id is not null or ${textHere.replaceAll('known.', 'described.')} is not null
        or row_number() over (partition by described.tag_id, described.kind order by is_known desc, is_synonym, described.id) > 1
        then 'of tags that have another text here'
      else 'taken' end as outcome
  from archive_described described
  left join imported_tag_text known on known.tag_id = described.tag_id and known.kind = described.kind`;

/** Open pages of tags that were here before read them again. */
async function publishTagChanges(client: ClientBase, runId: string | null): Promise<void> {
  await client.query(
    `insert into event (topic, event)
     select 'tags', jsonb_build_object('kind', 'tag-changed', 'tag', name) from tag
     where id in (
         select tag_id from archive_described where outcome in ('taken', 'updated')
         union select tag_id from archive_undescribed)
       and id not in (select unnest(tag_ids) from import_run where import_run.id = $1)
     order by id`,
    [runId],
  );
}

/**
 * Returns what an import does with texts of tags that were here, as lines: changes, and what stays because of a change
 * here.
 * @param max lines of each
 */
export async function listTagTextChanges(
  client: ClientBase,
  max: number,
): Promise<{ changes: string[]; conflicts: { total: number; lines: string[] } }> {
  const { rows } = await client.query<{ name: string; what: string; conflicts: boolean; total: string }>(
    `select * from (
       select name, what, conflicts, count(*) over (partition by conflicts) as total,
         row_number() over (partition by conflicts order by name, what) as number
       from (
         select tag_id, ${isConflict} as conflicts,
           ${textName} || case outcome when 'updated' then '' else replace(outcome, '${conflictReason('')}', ' ') end as what
         from archive_described where outcome = 'updated' or ${isConflict}
         union all select tag_id, false, ${textName} || ': deleted on the site' from archive_undescribed) changed
       join tag on tag.id = tag_id) numbered
     where number <= $1 order by number`,
    [max],
  );
  const toLines = (conflicts: boolean) =>
    rows
      .filter((row) => row.conflicts === conflicts)
      .map(({ name, what }) => `/topics/${encodeURIComponent(name)} ${what}`);
  const total = Number(rows.find(({ conflicts }) => conflicts)?.total ?? 0);
  return { changes: toLines(false), conflicts: { total, lines: toLines(true) } };
}

const textName = `case kind when 'description' then 'description' else 'text' end`;

const isConflict = `outcome like '${conflictReason('%')}'`;
