-- Bounces of emails (docs/decisions/089).
alter table member
  add column email_off_at timestamptz(3),
  add column email_off_reason text check (char_length(email_off_reason) between 1 and 300),
  add constraint member_email_off_has_reason check ((email_off_at is null) = (email_off_reason is null)),
  add constraint member_email_off_has_email check (email_off_at is null or email is not null);
comment on column member.email_off_at is
  'Since when emails to the address are off, because they came back. The member can switch them on again.';

create table email_bounce (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  -- The address of the member when the email was sent.
  email text not null,
  is_permanent boolean not null,
  reason text not null check (char_length(reason) between 1 and 300),
  -- Identifies the email, so that a bounce counts once.
  email_key text not null unique check (char_length(email_key) <= 100),
  -- Whether the member has switched emails on again since.
  is_settled boolean not null default false,
  created_at timestamptz(3) not null default now()
);
comment on table email_bounce is 'Emails that came back, or that a mail server refused for their recipient.';
create index email_bounce_member on email_bounce (member_id, id desc);
create index member_email_off on member (id) where email_off_at is not null;
create index email_bounce_age on email_bounce (created_at);

create table email_failure (
  hour timestamptz(0) not null,
  -- A reply code of the mail server or the code of an error, without addresses.
  reason text not null check (char_length(reason) between 1 and 60),
  failures int not null default 1 check (failures > 0),
  last_at timestamptz(3) not null default now(),
  primary key (hour, reason)
);
comment on table email_failure is 'Attempts to send an email that failed, per hour, for 30 days.';
