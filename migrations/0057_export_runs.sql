-- Scheduled exports of public content (docs/decisions/104).
create table export_run (
  id bigint generated always as identity primary key,
  -- The node that makes it.
  node text not null,
  started_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  outcome text not null default 'running' check (outcome in ('running', 'succeeded', 'failed')),
  directory text not null,
  -- Why it failed.
  reason text,
  check ((outcome = 'running') = (ended_at is null)),
  check ((outcome = 'failed') = (reason is not null))
);
comment on table export_run is 'Scheduled exports of the last 400 days.';
-- The latest exports.
create index export_run_started on export_run (started_at desc);
