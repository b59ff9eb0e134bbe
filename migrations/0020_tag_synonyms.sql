-- Other names of tags, and the work of merging and renaming them (docs/decisions/068).

-- A synonym has no questions, followers or mutes: a post that names it gets its tag. A synonym never points to another synonym.
alter table tag
  add synonym_of bigint references tag,
  add check (synonym_of <> id);
comment on column tag.synonym_of is 'The tag that this name leads to; null for a tag of its own.';
create index tag_synonym on tag (synonym_of) where synonym_of is not null;

create table tag_change (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('merge', 'rename')),
  -- The tag that is merged into another and became its synonym, or the renamed tag.
  tag_id bigint not null references tag,
  into_id bigint references tag,
  -- The questions to change when it started, and those that are done.
  questions bigint not null check (questions >= 0),
  questions_done bigint not null default 0 check (questions_done >= 0),
  -- Renaming: questions are done from the newest down to this one.
  at_created_at timestamptz(3),
  at_question_id bigint,
  created_at timestamptz(3) not null default clock_timestamp(),
  finished_at timestamptz(3),
  check ((kind = 'merge') = (into_id is not null))
);
comment on table tag_change is
  'Merged and renamed tags. A job moves the questions of a merged tag, or writes the new name to those of a renamed one, '
  'in small transactions.';
create unique index tag_change_running on tag_change (tag_id) where finished_at is null;
create unique index tag_change_running_into on tag_change (into_id) where finished_at is null and into_id is not null;
