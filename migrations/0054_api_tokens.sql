-- Tokens with which programs use the API (docs/decisions/100).
create table api_token (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  name text not null check (char_length(name) between 1 and 80),
  -- SHA-256 of the token, which has 256 random bits.
  hash bytea not null unique check (octet_length(hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  -- To the minute.
  last_used_at timestamptz(3)
);
comment on table api_token is 'Tokens with which programs use the API in the name of a member.';
-- The tokens of a member.
create index api_token_member on api_token (member_id, id);
-- Cleanup.
create index api_token_expiry on api_token (expires_at);
