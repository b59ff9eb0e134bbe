-- Settings that change while Parley runs (docs/decisions/054). A setting without a row has its default.
create table site_setting (
  name text primary key check (char_length(name) between 1 and 60),
  value jsonb not null,
  changed_at timestamptz not null default clock_timestamp()
);
comment on table site_setting is
  'Site settings that the operator has changed with `parley settings`. src/server/core/runtime-settings.ts lists all.';
