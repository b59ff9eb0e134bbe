-- The member or post that each row of an archive became. Rows of this table are never deleted: what was hidden or deleted
-- here is not imported a second time, and comes back with its own id when a moderator restores it (decision 040).
create table imported_row (
  source_id bigint not null references import_source,
  kind text not null check (kind in ('member', 'question', 'answer', 'reply')),
  -- The number in the archive.
  source_key text not null,
  -- The id here. The row it names may be hidden or deleted, so that this is no foreign key.
  id bigint not null,
  -- As the archive has them: they tell whether two archives hold the same post, and whether it was edited there since.
  created_at timestamptz(3) not null,
  edited_at timestamptz(3),
  primary key (source_id, kind, source_key)
);

alter table import_source add column former_sites text[] not null default '{}';

insert into imported_row (source_id, kind, source_key, id, created_at)
  select source_id, 'member', source_key, id, created_at from member where source_id is not null;
insert into imported_row (source_id, kind, source_key, id, created_at, edited_at)
  select source_id, 'question', source_key, id, created_at, edited_at from question where source_id is not null
  union all
  select source_id, 'answer', source_key, id, created_at, edited_at from answer where source_id is not null
  union all
  select source_id, 'reply', source_key, id, created_at, null from reply where source_id is not null;

-- Hidden posts. Where an earlier version imported one a second time, the one that is shown keeps the number.
insert into imported_row (source_id, kind, source_key, id, created_at, edited_at)
  select (row ->> 'source_id')::bigint, case part when 'above' then 'reply' else part end, row ->> 'source_key',
    (row ->> 'id')::bigint, (row ->> 'created_at')::timestamptz,
    case when part in ('question', 'answer') then (row ->> 'edited_at')::timestamptz end
  from put_away_row
  where part in ('question', 'answer', 'reply', 'above') and row ->> 'source_id' is not null
  on conflict do nothing;

analyze imported_row;
