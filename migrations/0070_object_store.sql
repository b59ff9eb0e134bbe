-- The files of pictures can be in an object store instead of the database (docs/decisions/118).
alter table upload_file
  alter content drop not null,
  add column object_key text unique,
  add constraint upload_file_place check (content is not null or object_key is not null);
comment on column upload_file.content is 'Null: it is in the object store.';
comment on column upload_file.object_key is
  'The key in the object store. With a content: the object may not be complete yet.';
-- Files that have to be moved, in one direction or the other.
create index upload_file_in_object_store on upload_file (upload_id, width) where content is null;
create index upload_file_in_database on upload_file (upload_id, width) where content is not null;

create table deleted_object (
  key text primary key,
  deleted_at timestamptz(3) not null default now()
);
comment on table deleted_object is 'Objects whose file was deleted. A job deletes them in the object store.';

create function queue_object_deletion() returns trigger language plpgsql as $$
begin
  insert into deleted_object (key) values (old.object_key) on conflict do nothing;
  return null;
end $$;
create trigger upload_file_object_deleted after delete on upload_file
  for each row when (old.object_key is not null) execute function queue_object_deletion();
