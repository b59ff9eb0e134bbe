-- The purge of deleted questions removes their tags. A tag that had no other question must not become visible by it.
alter table tag add column has_purged_questions boolean not null default false;
comment on column tag.has_purged_questions is
  'The tag had no visible question when a question that moderators had removed was deleted permanently.';
