import type { ClientBase } from 'pg';

/**
 * Finds what former imports of the site brought, whatever became of it since. `archive_known` leads from the numbers of
 * posts in the archive to those; a post that is not `there` was hidden or deleted here. `archive_gone` holds the numbers
 * of those and of the answers to them: nothing is added to them.
 */
export async function findAlreadyImported(client: ClientBase, source: string): Promise<void> {
  await client.query(`
    create temporary table archive_known (
      key bigint primary key, kind smallint not null, id bigint not null, there boolean not null,
      created timestamptz(3) not null, edited timestamptz(3)) on commit drop;
    create temporary table archive_gone (key bigint primary key) on commit drop;
    create temporary table archive_known_reply (
      key bigint primary key, id bigint not null, there boolean not null) on commit drop;
    create temporary table archive_known_user (
      key bigint primary key, id bigint not null, there boolean not null) on commit drop;`);
  await client.query(
    `insert into archive_known
     select post.id, case known.kind when 'question' then 1 else 2 end, known.id,
       case known.kind
         when 'question' then exists (select from question where id = known.id)
         else exists (select from answer where id = known.id) end,
       known.created_at, known.edited_at
     from archive_post post
     join imported_row known on known.source_id = $1 and known.kind in ('question', 'answer')
       and known.source_key = post.id::text`,
    [source],
  );
  await client.query(`
    insert into archive_gone
    select key from archive_known where not there
    union
    select post.id from archive_post post join archive_known parent on parent.key = post.parent and not parent.there`);
  await client.query(
    `insert into archive_known_reply
     select comment.id, known.id, exists (select from reply where id = known.id and deleted_at is null)
     from archive_comment comment
     join imported_row known on known.source_id = $1 and known.kind = 'reply' and known.source_key = comment.id::text`,
    [source],
  );
  await client.query(
    `insert into archive_known_user
     select archive_user.id, known.id, exists (select from member where id = known.id and deleted_at is null)
     from archive_user
     join imported_row known on known.source_id = $1 and known.kind = 'member'
       and known.source_key = archive_user.id::text`,
    [source],
  );
  await client.query(
    'analyze archive_known; analyze archive_gone; analyze archive_known_reply; analyze archive_known_user;',
  );
}

/** Questions that were here and that a moderator has locked: nothing is added to them either. Comes after the questions. */
export async function findLockedQuestions(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table archive_locked (id bigint primary key) on commit drop;
    insert into archive_locked
    select id from archive_question join question using (id) where not fresh and lock_reason is not null;
    analyze archive_locked;`);
}
