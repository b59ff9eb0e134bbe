import type { ClientBase } from 'pg';

/**
 * Finds the posts of earlier imports of the site, also hidden and deleted ones. `archive_known` maps the archive's post
 * numbers to them; a post that is not `visible` was hidden or deleted here. `archive_hidden` has the numbers of those and
 * of their answers: the import adds nothing to them.
 */
export async function findAlreadyImported(client: ClientBase, source: string): Promise<void> {
  await client.query(`
    create temporary table archive_known (
      key bigint primary key, kind smallint not null, id bigint not null, visible boolean not null,
      created timestamptz(3) not null, edited timestamptz(3), name_hash uuid, tags_hash uuid, content_hash uuid,
      upvotes bigint, downvotes bigint, views bigint, accepted_id bigint, duplicate_id bigint, outcome text)
      on commit drop;
    create temporary table archive_hidden (key bigint primary key) on commit drop;
    create temporary table archive_known_reply (
      key bigint primary key, id bigint not null, visible boolean not null, content_hash uuid, upvotes bigint,
      downvotes bigint, outcome text) on commit drop;
    create temporary table archive_known_user (
      key bigint primary key, id bigint not null, visible boolean not null, name_hash uuid, content_hash uuid,
      location_hash uuid, website_hash uuid, reputation bigint, outcome text) on commit drop;`);
  await client.query(
    `insert into archive_known
     select post.id, case known.kind when 'question' then 1 else 2 end, known.id,
       case known.kind
         when 'question' then exists (select from question where id = known.id)
         else exists (select from answer where id = known.id) end,
       known.created_at, known.edited_at, name_hash, tags_hash, content_hash, upvotes, downvotes, known.views,
       accepted_id, duplicate_id
     from archive_post post
     join imported_row known on known.source_id = $1 and known.kind in ('question', 'answer')
       and known.source_key = post.id::text`,
    [source],
  );
  await client.query(`
    insert into archive_hidden
    select key from archive_known where not visible
    union
    select post.id from archive_post post join archive_known parent on parent.key = post.parent and not parent.visible`);
  await client.query(
    `insert into archive_known_reply
     select comment.id, known.id, exists (select from reply where id = known.id and deleted_at is null),
       content_hash, upvotes, downvotes
     from archive_comment comment
     join imported_row known on known.source_id = $1 and known.kind = 'reply' and known.source_key = comment.id::text`,
    [source],
  );
  await client.query(
    `insert into archive_known_user
     select archive_user.id, known.id, exists (select from member where id = known.id and deleted_at is null),
       name_hash, content_hash, location_hash, website_hash, known.reputation
     from archive_user
     join imported_row known on known.source_id = $1 and known.kind = 'member'
       and known.source_key = archive_user.id::text`,
    [source],
  );
  await client.query(
    'analyze archive_known; analyze archive_hidden; analyze archive_known_reply; analyze archive_known_user;',
  );
}

/**
 * Finds existing questions that a moderator has locked: the import adds nothing to them. Runs after the questions are
 * added.
 */
export async function findLockedQuestions(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table archive_locked (id bigint primary key) on commit drop;
    insert into archive_locked
    select id from archive_question join question using (id) where not is_new and lock_reason is not null;
    analyze archive_locked;`);
}
