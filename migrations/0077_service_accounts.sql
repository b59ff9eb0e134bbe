-- Accounts of programs, which admins manage (docs/decisions/127).
alter table member
  -- Whether a program writes with this account. It stays after the account is deleted, because its posts stay.
  add column is_bot boolean not null default false;
alter table member
  -- Programs have API tokens. They cannot sign in and have no role.
  add constraint member_bot_cannot_sign_in check (
    not is_bot or (email is null and source_id is null and role = 'member' and application is null)
  );

create table service_account (
  member_id bigint primary key references member on delete cascade,
  -- While it is set, the API tokens of the account are refused.
  deactivated_at timestamptz(3),
  requests_per_minute int not null check (requests_per_minute between 1 and 1800),
  -- Questions, answers and replies together.
  posts_per_hour int not null check (posts_per_hour between 1 and 360)
);
comment on table service_account is 'The state and the limits of the accounts of programs (member.is_bot).';
