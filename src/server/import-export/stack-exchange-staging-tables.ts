import type { ClientBase } from 'pg';

/** Lets statements take as long as they need, and end when nobody waits for them any more. */
export async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(`
    set statement_timeout = 0;
    set idle_in_transaction_session_timeout = 0;
    set client_connection_check_interval = '5s';
    set work_mem = '64MB';
    set timezone = 'UTC';`);
}

const importLock = `hashtextextended('parley import', 0)`;

/** One import at a time in a database. Returns whether this one may go on. */
export async function tryLockImports(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(${importLock}) as locked`,
  );
  return rows[0]?.locked === true;
}

export async function resetSession(client: ClientBase): Promise<void> {
  await client.query('discard temp');
  await client.query('select pg_advisory_unlock_all()');
  await client.query(`
    reset statement_timeout;
    reset idle_in_transaction_session_timeout;
    reset client_connection_check_interval;
    reset work_mem;
    reset timezone;`);
}

/** The tables that an import fills before anything reaches the community. They go with the session. */
export async function createStagingTables(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table archive_user (
      line bigint generated always as identity, id bigint not null, name text not null, bio text,
      reputation bigint not null, created timestamptz(3) not null, nameless boolean not null default false);
    create temporary table archive_history (
      line bigint generated always as identity, id bigint not null, post_id bigint not null,
      created timestamptz(3) not null, kind smallint not null, text text not null);
    create temporary table archive_newest (post_id bigint primary key, line bigint not null);
    create temporary table archive_edited (post_id bigint primary key, latest timestamptz(3) not null);
    create temporary table archive_post (
      line bigint generated always as identity, id bigint not null, kind smallint not null, parent bigint,
      accepted bigint, created timestamptz(3) not null, edited timestamptz(3), score bigint not null,
      views bigint not null, author bigint, author_name text, license text not null, origin text not null,
      closed boolean not null,
      title text, content text not null, excerpt text, excerpt_cut boolean,
      tags text[], tag_keys text[], tags_left_out integer not null);
    create temporary table archive_comment (
      line bigint generated always as identity, id bigint not null, post_id bigint not null, score bigint not null,
      created timestamptz(3) not null, author bigint, author_name text, content text not null,
      license text not null);
    create temporary table archive_vote (
      line bigint generated always as identity, id bigint not null, post_id bigint not null, kind smallint not null,
      member bigint, created timestamptz(3) not null);
    create temporary table archive_tag (line bigint generated always as identity, key text not null);
    create temporary table archive_link (
      host text not null, question bigint not null, slug text not null, written timestamptz(3) not null);`);
}

/** Kinds of history entries that hold a text: initial, edited and rolled back (https://meta.stackexchange.com/q/2677). */
export const textKinds = [2, 5, 8] as const;

/**
 * Finds the newest version of each post's text, by time, then by number, and the latest edit of it, of its title or its tags:
 * the site changes tags also without saying so on the post.
 */
export async function indexHistory(client: ClientBase): Promise<void> {
  await client.query(`
    insert into archive_newest (post_id, line)
      select distinct on (post_id) post_id, line from archive_history where kind in (${textKinds.join(', ')})
      order by post_id, created desc, id desc, line desc;
    insert into archive_edited (post_id, latest)
      select post_id, max(created) from archive_history where kind <> 2 group by post_id;
    create unique index archive_history_line on archive_history (line);
    analyze archive_newest; analyze archive_edited; analyze archive_history;`);
}

export type StagedTable =
  | 'archive_user'
  | 'archive_post'
  | 'archive_comment'
  | 'archive_vote'
  | 'archive_tag';

/** Drops staged rows whose number came before; the first one stays. Returns how many went. */
export async function deleteDuplicates(client: ClientBase, table: StagedTable): Promise<number> {
  const id = table === 'archive_tag' ? 'key' : 'id';
  await client.query(`create index ${table}_id on ${table} (${id}); analyze ${table};`);
  const dropped = await client.query(`
    delete from ${table} later
    where exists (select from ${table} earlier where earlier.${id} = later.${id} and earlier.line < later.line)`);
  return dropped.rowCount ?? 0;
}

/** Moves all times so that the newest text is as old as it should be. */
export async function shiftTimes(client: ClientBase, newest: Date): Promise<void> {
  const { rows } = await client.query<{ newest: Date | null }>(`
    select max(created) as newest
    from (select created from archive_post union all select created from archive_comment) written`);
  const from = rows[0]?.newest;
  if (from === null || from === undefined) return;
  const shift = `${newest.getTime() - from.getTime()} milliseconds`;
  await client.query('update archive_user set created = created + $1::interval', [shift]);
  await client.query(
    'update archive_post set created = created + $1::interval, edited = edited + $1::interval',
    [shift],
  );
  await client.query('update archive_comment set created = created + $1::interval', [shift]);
  await client.query('update archive_vote set created = created + $1::interval', [shift]);
}
