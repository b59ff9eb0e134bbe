-- What moderators see on the page of a member, and their notes (docs/decisions/090).

create table sign_in (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  method text not null check (method in ('registration', 'password', 'two_factor', 'passkey', 'provider')),
  -- As the browser sends it.
  user_agent text check (char_length(user_agent) <= 300),
  -- An IPv4 address or an IPv6 /64 network; null if it was unknown.
  address text check (char_length(address) <= 50),
  -- The /24 or /48 network of the address.
  network text check (char_length(network) <= 50),
  created_at timestamptz(3) not null default now(),
  check ((address is null) = (network is null))
);
comment on table sign_in is
  'The sign-ins of members, also those whose session has ended. A job deletes them after the days of the setting `signInDays`.';
-- The sign-ins of a member, the latest first.
create index sign_in_member on sign_in (member_id, id desc);
-- The accounts that signed in from a network, and the latest sign-in of each.
create index sign_in_network on sign_in (network, member_id desc, id desc) where network is not null;
-- Cleanup.
create index sign_in_age on sign_in (created_at);

create table member_note (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  author_id bigint not null references member,
  text text not null check (char_length(text) between 1 and 2000),
  created_at timestamptz(3) not null default now(),
  edited_at timestamptz(3),
  -- The author can undo this. A job deletes the row a day later.
  deleted_at timestamptz(3)
);
comment on table member_note is 'Notes of moderators on a member, for moderators only.';
-- The notes on a member, the latest first.
create index member_note_member on member_note (member_id, id desc);
-- The notes of a moderator, for the foreign key.
create index member_note_author on member_note (author_id);
-- Cleanup.
create index member_note_deleted on member_note (deleted_at) where deleted_at is not null;

-- The author of the reported post, for the reports on a member. Null for imported posts without a member.
alter table report add column author_id bigint references member on delete set null;
update report set author_id = case post_kind
  when 'question' then (select author_id from base_question where id = post_id)
  when 'answer' then (select author_id from base_answer where id = post_id)
  else (select author_id from base_reply where id = post_id)
end;
create index report_author on report (author_id, id desc) where author_id is not null;

-- The log of a member, the latest entry first.
create index moderation_log_member on moderation_log (member_id, id desc) where member_id is not null;

-- The visible replies of a member in the order of time, also for statistics.
drop index reply_author_time;
create index reply_author_time on base_reply (author_id, created_at desc, id desc)
  where deleted_at is null and hidden_by is null;
