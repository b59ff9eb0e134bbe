-- What members have begun to write, and the members that a text names.

-- For the list of names that comes up while one types '@' and the beginning of one; only those who can sign in.
create index member_name_beginning on member (lower(display_name) collate "C", id) where email is not null;

alter table notification drop constraint notification_kind_check, add constraint notification_kind_check check (kind in (
  'answer', 'followed_answer', 'reply_to_question', 'reply_to_answer', 'reply_to_reply',
  'vote_question', 'vote_answer', 'vote_reply', 'accepted', 'accepted_followed', 'mention'
));
-- Whoever is told of a post is told once, be it by what it answers or because it names them.
drop index notification_answer_once;
create unique index notification_answer_once on notification (answer_id, recipient_id)
  where kind in ('answer', 'followed_answer') or (kind = 'mention' and reply_id is null);
drop index notification_reply_once;
create unique index notification_reply_once on notification (reply_id, recipient_id)
  where kind in ('reply_to_question', 'reply_to_answer', 'reply_to_reply', 'mention');
create unique index notification_mention_once on notification (question_id, recipient_id)
  where kind = 'mention' and answer_id is null and reply_id is null;

-- What a member has begun to write, one draft a place, such as 'ask', 'answer:7' (to question 7) or 'edit:reply:3'. A row
-- outlives its draft for a while, so that no browser that still holds the text brings back what was posted.
create sequence draft_version;
create table draft (
  member_id bigint not null references member on delete cascade,
  place text not null check (char_length(place) between 1 and 60),
  -- Never the same twice, also not after the row was gone.
  version bigint not null default nextval('draft_version'),
  -- The idempotency key of what it will post.
  key text not null check (char_length(key) between 8 and 100),
  -- Null once it has ended.
  fields jsonb check (octet_length(fields::text) <= 262144),
  ended text check (ended in ('posted', 'discarded')),
  -- SHA-256 of the text that was posted.
  posted_hash bytea,
  -- Which browser wrote this version, and after which of its changes.
  writer text,
  step bigint,
  updated_at timestamptz(3) not null default now(),
  primary key (member_id, place),
  check ((fields is null) = (ended is not null)),
  check ((posted_hash is null) = (ended is distinct from 'posted'))
) with (fillfactor = 70);
alter sequence draft_version owned by draft.version;
