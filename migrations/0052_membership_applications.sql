-- Accounts that wait for a moderator before they become members, or were refused (docs/decisions/086). Null: a member.
alter table member
  add column application text check (application in ('waiting', 'refused')),
  -- Only members have a role.
  add constraint member_application_has_no_role check (application is null or role = 'member');
-- The queue, the oldest first, and its count.
create index member_application on member (application, id) where application is not null;

-- What moderators did about an application: a claim, or a refusal. Written when the first of them does something.
create table membership_application (
  member_id bigint primary key references member on delete cascade,
  claimed_by bigint references member on delete set null,
  claimed_until timestamptz(3),
  refused_by bigint references member on delete set null,
  refused_at timestamptz(3),
  -- For the applicant.
  reason text not null default '' check (char_length(reason) <= 500),
  constraint membership_application_claim_has_an_end check (claimed_by is null or claimed_until is not null)
);
comment on table membership_application is 'Claims and refusals of accounts that wait for a moderator.';
-- Rows of a moderator whose account is deleted.
create index membership_application_claimed_by on membership_application (claimed_by) where claimed_by is not null;
create index membership_application_refused_by on membership_application (refused_by) where refused_by is not null;

-- Notifications to moderators about this queue, like those about the review queue (0022).
alter table base_notification drop constraint notification_review_is_about_no_post;
alter table base_notification add constraint notification_review_is_about_no_post check (
  (kind in ('review', 'application')) = (question_id is null)
  and (kind in ('review', 'application')) = (sender_id is null)
);
create unique index notification_application_unread on base_notification (recipient_id)
  where kind = 'application' and read_at is null;
create index notification_application on base_notification (recipient_id, created_at) where kind = 'application';
