-- The accounts at sign-in providers of imported members, which prove a claim of the profile (docs/decisions/109).
create table imported_identity (
  member_id bigint not null references member on delete cascade,
  -- The issuer and subject of OpenID Connect.
  issuer text not null check (char_length(issuer) between 1 and 500),
  subject text not null check (char_length(subject) between 1 and 255),
  primary key (member_id, issuer, subject)
);
comment on table imported_identity is 'Private: whose sign-in at a provider an imported profile belonged to. Deleted once the profile is claimed.';
-- Other profiles with the same identity.
create index imported_identity_subject on imported_identity (subject, issuer);
