-- Edits that members suggest to posts of others (docs/decisions/091). An applied edit stays as the record of who wrote and
-- who approved a version.
create table edit_suggestion (
  id bigint generated always as identity primary key,
  -- The post.
  question_id bigint references base_question on delete cascade,
  answer_id bigint references base_answer on delete cascade,
  reply_id bigint references base_reply on delete cascade,
  -- The author of the post, for the list of what waits for them; null if the author has no account.
  post_author_id bigint references member on delete set null,
  -- Who suggests it.
  member_id bigint not null references member,
  summary text not null check (char_length(summary) between 1 and 200),
  title text,
  content text not null,
  tags text[],
  -- The version that it is based on. Cleared once it is decided.
  base_title text,
  base_content text,
  base_tags text[],
  -- Whether only moderators see and decide it, because a post with this text would wait for them.
  moderators_only boolean not null default false,
  status text not null default 'open' check (status in ('open', 'approved', 'rejected', 'withdrawn')),
  -- Why it was rejected.
  reason text not null default '' check (char_length(reason) <= 500),
  -- Null while it is open, for an edit that needed no approval, and after a withdrawal.
  decided_by bigint references member on delete set null,
  -- Whether the member who approved it changed it.
  changed_on_approval boolean not null default false,
  created_at timestamptz(3) not null default now(),
  decided_at timestamptz(3),
  constraint edit_suggestion_post check (num_nonnulls(question_id, answer_id, reply_id) = 1),
  constraint edit_suggestion_title check (
    (question_id is null) = (title is null) and (question_id is null) = (tags is null)
  ),
  constraint edit_suggestion_decision check (
    (status = 'open') = (decided_at is null) and (status = 'open') = (base_content is not null)
  )
);
comment on table edit_suggestion is 'Edits that members suggest to posts of others, open and decided.';
-- One open suggestion of a member for a post.
create unique index edit_suggestion_open_question on edit_suggestion (member_id, question_id) where status = 'open' and question_id is not null;
create unique index edit_suggestion_open_answer on edit_suggestion (member_id, answer_id) where status = 'open' and answer_id is not null;
create unique index edit_suggestion_open_reply on edit_suggestion (member_id, reply_id) where status = 'open' and reply_id is not null;
-- What waits for a decision, the oldest first: all, and on the posts of one member.
create index edit_suggestion_open on edit_suggestion (id) where status = 'open';
create index edit_suggestion_open_author on edit_suggestion (post_author_id, id) where status = 'open';
-- A member's own suggestions, the latest first, and how many today.
create index edit_suggestion_member on edit_suggestion (member_id, id desc);
create index edit_suggestion_member_time on edit_suggestion (member_id, created_at);
-- Rows of a deleted post or member.
create index edit_suggestion_question_id on edit_suggestion (question_id) where question_id is not null;
create index edit_suggestion_answer_id on edit_suggestion (answer_id) where answer_id is not null;
create index edit_suggestion_reply_id on edit_suggestion (reply_id) where reply_id is not null;
create index edit_suggestion_post_author_id on edit_suggestion (post_author_id) where post_author_id is not null;
create index edit_suggestion_decided_by on edit_suggestion (decided_by) where decided_by is not null;

-- The edit by another member that replaced this version; null for an edit by the author.
alter table revision add column replaced_by_suggestion bigint references edit_suggestion on delete set null;
create index revision_replaced_by_suggestion on revision (replaced_by_suggestion) where replaced_by_suggestion is not null;

alter table base_notification drop constraint notification_kind_check;
alter table base_notification add constraint notification_kind_check check (kind in (
  'answer', 'followed_answer', 'reply_to_question', 'reply_to_answer', 'reply_to_reply',
  'vote_question', 'vote_answer', 'vote_reply', 'accepted', 'accepted_followed', 'mention', 'review', 'application',
  'edit_suggested', 'edit_approved', 'edit_rejected', 'edited'
));
-- A member who withdraws and repeats a suggestion notifies once.
create unique index notification_edit_suggested on base_notification (
  recipient_id, sender_id, question_id, coalesce(answer_id, 0), coalesce(reply_id, 0)
) where kind = 'edit_suggested' and read_at is null;

alter table notification_preference drop constraint notification_preference_category_check;
alter table notification_preference add constraint notification_preference_category_check check (
  category in ('answers', 'followed', 'replies', 'mentions', 'accepted', 'votes', 'edits', 'moderation')
);
