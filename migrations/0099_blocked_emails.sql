create table blocked_email (
  hash bytea primary key check (octet_length(hash) = 32),
  blocked_until timestamptz(3) not null
);
comment on table blocked_email is
  'Addresses of deleted accounts that were suspended or refused, as keyed hashes. No account can have them until then.';
create index blocked_email_age on blocked_email (blocked_until);
