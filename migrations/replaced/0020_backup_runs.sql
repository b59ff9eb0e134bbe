-- The backups that Parley makes by itself, so that every node, the metrics and `parley doctor` know how old the last good one
-- is. Backups themselves leave this table out.
create table backup_run (
  id bigint generated always as identity primary key,
  node text not null,
  started_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  outcome text not null default 'running' check (outcome in ('running', 'good', 'failed')),
  -- Absolute, on the machine of the node.
  file text not null,
  bytes bigint,
  -- Why it failed, in a sentence for the operator.
  reason text,
  -- When it was restored into a database of its own and compared, or what was found wrong with it there.
  verified_at timestamptz(3),
  verify_problem text
);
create index backup_run_started on backup_run (started_at desc);
