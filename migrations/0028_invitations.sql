-- Links with which moderators invite people to register (docs/decisions/072).
create table invitation (
  id bigint generated always as identity primary key,
  -- SHA-256 of the token in the link.
  hash bytea not null unique check (octet_length(hash) = 32),
  created_by bigint not null references member,
  -- For moderators only.
  note text not null check (char_length(note) <= 200),
  max_uses int not null check (max_uses between 1 and 1000),
  uses int not null default 0 check (uses between 0 and max_uses),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3)
);

create table invited_member (
  member_id bigint primary key references member on delete cascade,
  invitation_id bigint not null references invitation
);
comment on table invited_member is 'With which invitation members registered.';
create index invited_member_invitation on invited_member (invitation_id, member_id);
