-- More than a password: an authenticator app with recovery codes, passkeys, and an account at an identity provider (a row
-- of `account`, whose provider is the issuer's address).

create table second_factor (
  member_id bigint primary key references member on delete cascade,
  -- The key that the authenticator app has as well, sealed with the community's secret.
  sealed_key text not null,
  -- The period of 30 seconds whose code was taken last: no code of it, or of one before, is taken again (RFC 6238 section 5.2).
  last_period bigint not null default 0,
  created_at timestamptz(3) not null default now()
);

create table recovery_code (
  member_id bigint not null references second_factor on delete cascade,
  -- The first digit of the code, so that one hash is computed to check it, and not ten.
  place smallint not null check (place between 0 and 9),
  hash text not null,
  primary key (member_id, place)
);

create table passkey (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  name text not null check (char_length(name) between 1 and 80),
  credential_id text not null unique,
  public_key bytea not null,
  -- What the passkey says whose it is: random, the same for all passkeys of a member.
  user_handle text not null,
  counter bigint not null check (counter >= 0),
  transports text[] not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3)
);
create index passkey_member on passkey (member_id);

-- What counts once, such as the answer to a challenge. Nothing of it matters after it has expired.
create table used_once (
  key text primary key,
  expires_at timestamptz(3) not null
);
create index used_once_expiry on used_once (expires_at);
