-- Web hooks: other programs receive events (docs/decisions/102).

-- Readers of the stream of events that continue where they stopped, also after all nodes were down.
create table event_reader (
  name text primary key,
  -- The snapshot up to which the reader has read (src/server/core/event-position.ts).
  snapshot jsonb not null,
  -- Events of this transaction and later ones are not deleted before the reader has read them.
  needed_from xid8 not null,
  read_at timestamptz(3) not null default now()
);
comment on table event_reader is 'Positions of readers of the event table that must not miss an event.';

create table webhook (
  id bigint generated always as identity primary key,
  name text not null check (char_length(name) between 1 and 60),
  address text not null check (char_length(address) between 1 and 1000),
  format text not null check (format in ('standard', 'slack', 'mattermost', 'discord', 'teams')),
  events text[] not null check (cardinality(events) between 1 and 40),
  -- Keys of tags. Empty: questions with any tags.
  tags text[] not null default '{}' check (cardinality(tags) <= 20),
  encrypted_secret text not null check (encrypted_secret <> ''),
  encrypted_previous_secret text check (encrypted_previous_secret <> ''),
  previous_secret_until timestamptz(3),
  is_enabled boolean not null default true,
  -- Earlier events are not delivered.
  enabled_at timestamptz(3) not null default now(),
  -- Why Parley switched it off; null if an admin did, or if it is on.
  stop_reason text check (stop_reason in ('failures', 'gone')),
  -- The first failure since the last success.
  failing_since timestamptz(3),
  -- The receiver asked for a pause.
  paused_until timestamptz(3),
  delivered_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint webhook_previous_secret_has_an_end
    check ((encrypted_previous_secret is null) = (previous_secret_until is null)),
  constraint webhook_on_has_no_stop_reason check (not is_enabled or stop_reason is null)
);
comment on table webhook is 'Addresses that receive events, created by admins.';
comment on column webhook.encrypted_secret is
  'AES-256-GCM with a key from SECRET. After a change of SECRET it cannot be read, and an admin replaces it.';

create table webhook_delivery (
  id bigint generated always as identity primary key,
  webhook_id bigint not null references webhook on delete cascade,
  -- The same for all attempts, so that receivers recognize repetitions.
  message_id text not null unique check (message_id ~ '^msg_[\w-]{16,40}$'),
  -- Deliveries of a web hook about one resource, such as 'question:7', are sent in the order of their ids.
  resource text not null,
  event_type text not null,
  -- Ids only: the content is read when it is sent.
  question_id bigint,
  answer_id bigint,
  reply_id bigint,
  occurred_at timestamptz(3) not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'skipped')),
  attempts int not null default 0 check (attempts >= 0),
  first_attempt_at timestamptz(3),
  last_attempt_at timestamptz(3),
  -- The last attempt: HTTP status or the code of an error, its duration, the request and the response.
  status int,
  error text,
  duration_ms int,
  request_body text,
  response_body text check (octet_length(response_body) <= 4096),
  created_at timestamptz(3) not null default now()
);
comment on table webhook_delivery is 'Events for a web hook, sent or to be sent. Deleted after 30 days.';
comment on column webhook_delivery.request_body is 'Removed when the post is deleted or hidden.';
-- The next delivery of a resource.
create index webhook_delivery_pending on webhook_delivery (webhook_id, resource, id) where state = 'pending';
-- The list of admins, newest first.
create index webhook_delivery_newest on webhook_delivery (webhook_id, id);
-- Cleanup.
create index webhook_delivery_created_at on webhook_delivery (created_at);
-- Requests with the content of a question.
create index webhook_delivery_question on webhook_delivery (question_id) where request_body is not null;

create table webhook_queue (
  webhook_id bigint not null references webhook on delete cascade,
  resource text not null,
  next_attempt_at timestamptz(3) not null default now(),
  -- The attempt that runs now. The row is free again at next_attempt_at, also if its node was killed.
  claim uuid,
  primary key (webhook_id, resource)
);
comment on table webhook_queue is 'Resources with deliveries to send, one row for each web hook and resource.';
-- Due resources, the longest waiting first.
create index webhook_queue_due on webhook_queue (webhook_id, next_attempt_at);

-- Notifications to admins about web hooks that were switched off, like those about queues (0052).
alter table base_notification drop constraint notification_kind_check;
alter table base_notification add constraint notification_kind_check check (kind in (
  'answer', 'followed_answer', 'reply_to_question', 'reply_to_answer', 'reply_to_reply',
  'vote_question', 'vote_answer', 'vote_reply', 'accepted', 'accepted_followed', 'mention', 'review', 'application',
  'webhook', 'edit_suggested', 'edit_approved', 'edit_rejected', 'edited'
));
alter table base_notification drop constraint notification_review_is_about_no_post;
alter table base_notification add constraint notification_review_is_about_no_post check (
  (kind in ('review', 'application', 'webhook')) = (question_id is null)
  and (kind in ('review', 'application', 'webhook')) = (sender_id is null)
);
create unique index notification_webhook_unread on base_notification (recipient_id)
  where kind = 'webhook' and read_at is null;
create index notification_webhook on base_notification (recipient_id, created_at) where kind = 'webhook';
