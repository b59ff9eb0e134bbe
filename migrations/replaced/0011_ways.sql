-- The ways by which members hear of what concerns them: what they chose, what waits to be mailed or pushed, and the
-- devices that are pushed to. Mails and pushes tell of committed notifications; the marks on these are what waits.

create function notification_about(kind text) returns text language sql immutable parallel safe as $$
  select case kind
    when 'answer' then 'answers'
    when 'followed_answer' then 'followed'
    when 'reply_to_question' then 'replies'
    when 'reply_to_answer' then 'replies'
    when 'reply_to_reply' then 'replies'
    when 'mention' then 'mentions'
    when 'accepted' then 'accepted'
    when 'accepted_followed' then 'accepted'
    when 'vote_question' then 'votes'
    when 'vote_answer' then 'votes'
    when 'vote_reply' then 'votes'
  end
$$;

-- Without a row the defaults hold: in the app and by push, but votes not by push; no mail.
create table notification_choice (
  member_id bigint not null references member on delete cascade,
  about text not null check (about in ('answers', 'followed', 'replies', 'mentions', 'accepted', 'votes')),
  -- Off: no notification is made, so that there is nothing to mail or push either.
  in_app boolean not null,
  mail text not null check (mail in ('off', 'at_once', 'daily', 'weekly')),
  push boolean not null,
  primary key (member_id, about)
);

-- When a member is mailed next. A row exists for those who chose mail.
create table member_mail (
  member_id bigint primary key references member on delete cascade,
  -- As the member's browser names it, such as 'Europe/Berlin'; the morning of a digest is there.
  time_zone text not null default 'UTC' check (char_length(time_zone) between 1 and 64),
  -- No mail of what just happened before.
  at_once_after timestamptz(3) not null default now(),
  -- Null where no kind is chosen for this digest.
  daily_at timestamptz(3),
  weekly_at timestamptz(3)
);
create index member_mail_daily on member_mail (daily_at) where daily_at is not null;
create index member_mail_weekly on member_mail (weekly_at) where weekly_at is not null;

-- Goes with the session it was made in: who signs out there is not told there.
alter table session add unique (id, member_id);
create table push_subscription (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  session_id bigint not null unique,
  endpoint text not null unique check (char_length(endpoint) between 1 and 1000),
  p256dh text not null check (char_length(p256dh) between 1 and 200),
  auth text not null check (char_length(auth) between 1 and 100),
  created_at timestamptz(3) not null default now(),
  foreign key (session_id, member_id) references session (id, member_id) on delete cascade
);
create index push_subscription_member on push_subscription (member_id, id);

-- How a notification still waits to be told; null and false: not, or no longer.
alter table notification
  add column mail text check (mail in ('at_once', 'daily', 'weekly')),
  add column push boolean not null default false;
create index notification_mail on notification (recipient_id, id) where mail is not null;
create index notification_mail_at_once on notification (created_at) where mail = 'at_once' and read_at is null;
create index notification_mail_age on notification (created_at) where mail is not null;
create index notification_push on notification (recipient_id, id) where push;

create function choose_ways() returns trigger language plpgsql as $$
declare
  chosen notification_choice;
begin
  select * into chosen from notification_choice
  where member_id = new.recipient_id and about = notification_about(new.kind);
  if found and not chosen.in_app then
    return null;
  end if;
  -- An address that its owner has not confirmed is never mailed.
  if found and chosen.mail <> 'off' then
    select chosen.mail into new.mail from member
    where id = new.recipient_id and email is not null and email_verified;
  end if;
  new.push := coalesce(chosen.push, notification_about(new.kind) <> 'votes', true)
    and exists (select from push_subscription where member_id = new.recipient_id);
  return new;
end $$;

create trigger notification_ways before insert on notification
  for each row execute function choose_ways();
