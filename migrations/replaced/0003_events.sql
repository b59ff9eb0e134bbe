-- The stream of domain events: written in the transaction of what happened, read by every node in commit order.
create table event (
  -- Taken while the post it tells of is locked, so that for one post it follows the order of commits.
  id bigint generated always as identity primary key,
  transaction_id xid8 not null default pg_current_xact_id(),
  topic text not null,
  event jsonb not null,
  created_at timestamptz(3) not null default now()
);
create index event_order on event (transaction_id, id);
create index event_topic on event (topic, transaction_id, id);
create index event_age on event (created_at);
