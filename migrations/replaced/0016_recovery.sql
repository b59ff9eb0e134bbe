-- Getting back in, changing the address, and leaving.

-- Links in mails that let somebody in, or change who is let in: each works once, and for some time. What a link holds is
-- known to nobody but the mail; here is its SHA-256 alone.
create table account_link (
  hash bytea primary key check (octet_length(hash) = 32),
  member_id bigint not null references member on delete cascade,
  -- reset: sets a new password. address: makes `address` the member's. return: makes it theirs again.
  purpose text not null check (purpose in ('reset', 'address', 'return')),
  -- Where the mail with the link goes; null where the operator hands the link over.
  address text check (address = lower(btrim(address))),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  check (purpose = 'reset' or address is not null)
);
create index account_link_member on account_link (member_id);
create index account_link_age on account_link (expires_at);
-- An address that can be taken back is kept from others for so long.
create index account_link_kept on account_link (address) where purpose = 'return';

-- What happened to the safety of an account, for its member and for who looks after it.
create table security_event (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  event text not null check (char_length(event) between 1 and 60),
  -- Where a mail that tells of it is still to be sent.
  address text,
  created_at timestamptz(3) not null default now()
);
create index security_event_member on security_event (member_id, id desc);
create index security_event_unsent on security_event (id) where address is not null;
create index security_event_age on security_event (created_at);

-- Members who have left: who they were is gone from the beginning, and what else they leave goes bit by bit.
alter table member add column left_at timestamptz(3);
create table departure (
  member_id bigint primary key references member,
  -- Whether what they wrote stays, or goes with them.
  posts text not null check (posts in ('stay', 'go')),
  started_at timestamptz(3) not null default now()
);

-- Beside what an archive counts without saying who, this has the views of members who have left, whose rows are gone.
comment on column question.imported_views is 'views of nobody in particular: of an archive, or of members who have left';
