-- Members claim the profile that an import made of their account on another site (docs/decisions/109).
create table profile_claim (
  id bigint generated always as identity primary key,
  -- The imported profile, and who claims it.
  profile_id bigint not null references member on delete cascade,
  member_id bigint not null references member on delete cascade,
  -- The text that proves the claim on the page of the profile on its site. It is public there.
  token text not null unique,
  token_expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  -- What the member wrote to the moderators; null before that.
  message text check (char_length(message) between 1 and 500),
  requested_at timestamptz(3),
  declined_at timestamptz(3),
  decline_reason text check (char_length(decline_reason) between 1 and 500),
  unique (profile_id, member_id),
  check ((requested_at is null) = (message is null)),
  check ((declined_at is null) = (decline_reason is null))
);
comment on table profile_claim is 'Claims of imported profiles. A claim that succeeds is deleted with the merge of the profile.';
create index profile_claim_member on profile_claim (member_id);
-- The list of moderators.
create index profile_claim_requested on profile_claim (id) where requested_at is not null and declined_at is null;

-- Null for a profile that a member claimed with a token.
alter table account_merge alter column moderator_id drop not null;
