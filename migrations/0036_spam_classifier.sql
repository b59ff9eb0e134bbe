-- What the spam classifier has learned from decisions of moderators (docs/decisions/077).
create table spam_token (
  -- A feature of posts, such as 'word:casino'. '' stands for all posts.
  token text primary key check (char_length(token) <= 100),
  -- Learned posts with the feature.
  spam integer not null default 0 check (spam >= 0),
  ham integer not null default 0 check (ham >= 0)
);
comment on table spam_token is 'How many spam and other posts have a feature, among those that the spam classifier learned.';

create table spam_training (
  post_kind text not null check (post_kind in ('question', 'answer', 'reply')),
  post_id bigint not null,
  is_spam boolean not null,
  -- The features that were counted. Emptied after 30 days: words of a deleted post must not outlive it.
  tokens text[] not null,
  created_at timestamptz(3) not null default now(),
  primary key (post_kind, post_id)
);
comment on table spam_training is 'The posts that the spam classifier learned, so that each counts once.';
create index spam_training_with_tokens on spam_training (created_at) where tokens <> '{}';
