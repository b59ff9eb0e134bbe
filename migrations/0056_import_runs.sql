-- Each import is recorded, so that it can be listed, refreshed and undone (docs/decisions/103).
create table import_run (
  id bigint generated always as identity primary key,
  source_id bigint not null references import_source,
  -- The directory or files as they were given; null for imports before this table.
  file text,
  imported_at timestamptz(3) not null default now(),
  -- The newest time in each file of the archive, such as {"posts": "2020-11-30T…"}. An older archive changes nothing.
  newest jsonb not null default '{}',
  -- What became of the rows of each file, and what the import added and changed.
  summary jsonb not null default '{}',
  -- The tags that the import created.
  tag_ids bigint[] not null default '{}'
);
comment on table import_run is 'The imports of archives, in order.';
-- The imports of a site, the latest first.
create index import_run_source on import_run (source_id, id desc);

insert into import_run (source_id, imported_at)
select id, imported_at from import_source
where exists (select from imported_row where source_id = import_source.id)
order by id;

alter table imported_row
  -- The import that added the row.
  add run_id bigint references import_run,
  -- The archive that was imported last: what differs from it in a newer archive was changed on the site. MD5 of the title
  -- of a question or the name of a member; of the keys of the tags; of the text, or the bio of a member. Null for rows
  -- from before 0056 until the next import.
  add name_hash uuid,
  add tags_hash uuid,
  add content_hash uuid,
  add upvotes bigint,
  add downvotes bigint,
  add views bigint,
  add reputation bigint,
  -- The accepted answer and the original of a duplicate, as ids in this database. No foreign keys, as for id.
  add accepted_id bigint,
  add duplicate_id bigint,
  -- Whether the row was missing in the last archive, and was therefore hidden here.
  add is_gone boolean not null default false;
comment on table imported_row is
  'The member or post that each row of an archive became. Only the undoing of its import deletes a row: a hidden or '
  'deleted post is not imported again, and gets its own id back when it is restored (docs/decisions/040).';

update imported_row set run_id = import_run.id from import_run where import_run.source_id = imported_row.source_id;

-- The rows that an import added.
create index imported_row_run on imported_row (run_id);

alter table hidden_post
  -- The import whose archive no longer had the post; null if a moderator hid it.
  add import_run_id bigint references import_run on delete set null;
-- The posts that an import hid.
create index hidden_post_import_run on hidden_post (import_run_id) where import_run_id is not null;
