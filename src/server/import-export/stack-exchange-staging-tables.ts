import type { ClientBase } from 'pg';

/** Creates temporary tables that the import fills before it changes the community. */
export async function createStagingTables(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table archive_user (
      line bigint generated always as identity, id bigint not null, name text not null, bio text,
      reputation bigint not null, created timestamptz(3) not null, nameless boolean not null default false,
      location text, website text);
    create temporary table archive_history (
      line bigint generated always as identity, id bigint not null, post_id bigint not null,
      created timestamptz(3) not null, kind smallint not null, text text not null, action text, editor bigint,
      editor_name text, summary text);
    create temporary table archive_newest (post_id bigint primary key, line bigint not null);
    create temporary table archive_edited (post_id bigint primary key, latest timestamptz(3) not null);
    create temporary table archive_post (
      line bigint generated always as identity, id bigint not null, kind smallint not null, parent bigint,
      accepted bigint, created timestamptz(3) not null, edited timestamptz(3), score bigint not null,
      views bigint not null, author bigint, author_name text, license text not null, origin text not null,
      closed timestamptz(3), wiki timestamptz(3), has_links boolean not null,
      title text, content text not null, excerpt text, excerpt_cut boolean,
      tags text[], tag_keys text[], tags_left_out integer not null);
    create temporary table archive_comment (
      line bigint generated always as identity, id bigint not null, post_id bigint not null, score bigint not null,
      created timestamptz(3) not null, author bigint, author_name text, content text not null,
      license text not null, has_links boolean not null);
    create temporary table archive_vote (
      line bigint generated always as identity, id bigint not null, post_id bigint not null, kind smallint not null,
      member bigint, created timestamptz(3) not null);
    create temporary table archive_bounty (
      line bigint generated always as identity, id bigint not null, post_id bigint not null, amount integer not null,
      created timestamptz(3) not null);
    create temporary table archive_duplicate (
      line bigint generated always as identity, id bigint not null, question bigint not null,
      original bigint not null, created timestamptz(3) not null);
    create temporary table archive_badge (
      line bigint generated always as identity, id bigint not null, member bigint not null, name text not null,
      class text, is_tag_based boolean not null, awarded timestamptz(3) not null);
    create temporary table archive_tag (
      line bigint generated always as identity, key text not null, path text not null, excerpt bigint, wiki bigint);
    create temporary table archive_tag_text (
      line bigint generated always as identity, id bigint not null, kind text not null, content text not null,
      license text not null, has_links boolean not null);
    create temporary table archive_link (
      host text not null, question bigint not null, slug text not null, written timestamptz(3) not null);`);
}

/** Kinds of history entries with a text: initial, edited and rolled back (https://meta.stackexchange.com/q/2677). */
export const textKinds = [2, 5, 8] as const;

/** The same for titles and tags. `suggested`: that an edit was approved. */
export const historyKinds = { titles: [1, 4, 7], texts: textKinds, tags: [3, 6, 9], suggested: 24 } as const;

/**
 * Finds the newest version of each post's text, by time, then by number, and the latest edit of its text, title or
 * tags. Tag changes by the site do not count as edits of the post.
 */
export async function indexHistory(client: ClientBase): Promise<void> {
  await client.query(`
    insert into archive_newest (post_id, line)
      select distinct on (post_id) post_id, line from archive_history where kind in (${textKinds.join(', ')})
      order by post_id, created desc, id desc, line desc;
    insert into archive_edited (post_id, latest)
      select post_id, max(created) from archive_history where kind in (4, 5, 6, 7, 8, 9) group by post_id;
    create unique index archive_history_line on archive_history (line);
    create index archive_history_state on archive_history (post_id) where kind >= 10;
    analyze archive_newest; analyze archive_edited; analyze archive_history;`);
}

export type StagedTable =
  | 'archive_user'
  | 'archive_post'
  | 'archive_comment'
  | 'archive_vote'
  | 'archive_duplicate'
  | 'archive_badge'
  | 'archive_bounty'
  | 'archive_tag'
  | 'archive_tag_text';

/** Deletes staged rows with a number that appeared before; the first one stays. Returns the number deleted. */
export async function deleteDuplicates(client: ClientBase, table: StagedTable): Promise<number> {
  const id = table === 'archive_tag' ? 'key' : 'id';
  await client.query(`create index ${table}_id on ${table} (${id}); analyze ${table};`);
  const dropped = await client.query(`
    delete from ${table} later
    where exists (select from ${table} earlier where earlier.${id} = later.${id} and earlier.line < later.line)`);
  return dropped.rowCount ?? 0;
}

/** Shifts all times so that the newest text has the requested time. */
export async function shiftTimes(client: ClientBase, newest: Date): Promise<void> {
  const { rows } = await client.query<{ newest: Date | null }>(`
    select max(created) as newest
    from (select created from archive_post union all select created from archive_comment) written`);
  const from = rows[0]?.newest;
  if (from === null || from === undefined) return;
  const shift = `${newest.getTime() - from.getTime()} milliseconds`;
  await client.query('update archive_user set created = created + $1::interval', [shift]);
  await client.query(
    'update archive_post set created = created + $1::interval, edited = edited + $1::interval, closed = closed + $1::interval',
    [shift],
  );
  await client.query('update archive_comment set created = created + $1::interval', [shift]);
  await client.query('update archive_history set created = created + $1::interval', [shift]);
  await client.query('update archive_vote set created = created + $1::interval', [shift]);
}
