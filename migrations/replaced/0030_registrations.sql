-- Spam by many accounts (decision 039): from which network members registered, which accounts wait before they can write,
-- and the removal of all activity of many accounts at once.

create table registration (
  member_id bigint primary key references member on delete cascade,
  -- An IPv4 address or an IPv6 /48 network. Null once it is older than 30 days.
  network text,
  registered_at timestamptz(3) not null default now(),
  -- Until then the account writes nothing that others see. A moderator can approve either.
  waits_for text check (waits_for in ('confirmation', 'moderator'))
);
create index registration_waiting on registration (member_id) where waits_for is not null;
create index registration_network on registration (network, registered_at) where network is not null;
create index registration_age on registration (registered_at);

-- The removal of all activity of many accounts. What is removed of each account is its undoing.
create table removal (
  id bigint generated always as identity primary key,
  -- Null for the command line.
  operator_id bigint,
  reason text not null check (char_length(reason) between 1 and 500),
  created_at timestamptz(3) not null default now()
);

alter table undoing
  alter column operator_id drop not null,
  add column removal_id bigint references removal;
create index undoing_removal on undoing (removal_id, id) where removal_id is not null;
create index undoing_removal_running on undoing (removal_id, id)
  where removal_id is not null and state in ('undoing', 'restoring');

alter table care_log
  drop constraint care_log_action_check,
  add constraint care_log_action_check check (action in (
    'dismiss', 'hide', 'delete', 'restore', 'lock', 'unlock', 'duplicate', 'not_duplicate', 'warn', 'suspend',
    'lift', 'undo', 'undo_undo', 'purge', 'role', 'approve', 'remove_activity', 'restore_activity'
  ));
