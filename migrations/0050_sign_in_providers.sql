-- Sign-in providers that admins add in the browser (docs/decisions/087).
create table sign_in_provider (
  -- Part of the redirect address. 'oidc' is the provider of the environment variables.
  id text primary key check (id ~ '^[a-z0-9](-?[a-z0-9]){0,31}$' and id <> 'oidc'),
  name text not null check (char_length(name) between 1 and 40),
  -- Accounts of one issuer are unrelated to those of another: account.provider_id is 'oidc ' and the issuer.
  issuer text not null unique check (char_length(issuer) between 1 and 500),
  client_id text not null check (char_length(client_id) between 1 and 500),
  encrypted_client_secret text not null check (encrypted_client_secret <> ''),
  scopes text not null check (char_length(scopes) between 1 and 300),
  trusts_email boolean not null default false,
  is_enabled boolean not null default true,
  position int not null check (position >= 0),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
comment on table sign_in_provider is 'OpenID Connect providers that admins added, besides the one of the environment.';
comment on column sign_in_provider.encrypted_client_secret is
  'AES-256-GCM with a key from SECRET. After a change of SECRET it cannot be read, and an admin enters it again.';
comment on column sign_in_provider.trusts_email is
  'Whether addresses count as verified although the provider does not say so.';
