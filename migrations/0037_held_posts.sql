-- Posts that others see only once a moderator has approved them (docs/decisions/085). A held post is stored apart from
-- the posts, so that no list, count or notification has to leave it out.
create table held_post (
  id bigint generated always as identity primary key,
  post_kind text not null check (post_kind in ('question', 'answer', 'reply')),
  -- Reserved for the post, which gets this id when it is approved.
  post_id bigint not null,
  member_id bigint not null references member on delete cascade,
  -- Where an answer or reply belongs.
  question_id bigint references base_question on delete cascade,
  answer_id bigint references base_answer on delete cascade,
  parent_reply_id bigint references base_reply on delete cascade,
  title text,
  tags text[],
  content text not null,
  created_at timestamptz(3) not null default now(),
  -- Why a moderator rejected it, '' for spam without a reason.
  rejection_reason text check (char_length(rejection_reason) <= 500),
  rejected_at timestamptz(3),
  constraint held_post_post_kind_post_id_key unique (post_kind, post_id),
  constraint held_post_question check (
    (post_kind = 'question') = (question_id is null) and (post_kind = 'question') = (title is not null)
    and (title is null) = (tags is null)
  ),
  constraint held_post_rejection check ((rejected_at is null) = (rejection_reason is null))
);
comment on table held_post is
  'Posts that wait for approval, and rejected ones until they are deleted. The row is deleted when the post is approved.';
create index held_post_member_id on held_post (member_id);
create index held_post_question_id on held_post (question_id) where question_id is not null;
create index held_post_answer_id on held_post (answer_id) where answer_id is not null;
create index held_post_parent_reply_id on held_post (parent_reply_id) where parent_reply_id is not null;
create index held_post_rejected_at on held_post (rejected_at) where rejected_at is not null;

alter table review_item
  -- The held post that waits.
  add column held_post_id bigint references held_post on delete cascade,
  add constraint review_item_held check (held_post_id is null or (other_cause is not null and other_cause <> 'objection'));
create unique index review_item_held_post on review_item (held_post_id) where held_post_id is not null;

alter table moderator_message
  drop constraint moderator_message_kind_check,
  add constraint moderator_message_kind_check check (
    kind in ('warning', 'suspension', 'hidden', 'deleted', 'restored', 'objection_declined', 'approved', 'rejected')
  ),
  drop constraint moderator_message_reason_check,
  add constraint moderator_message_reason_check check (
    char_length(reason) <= 500 and (reason <> '' or kind in ('restored', 'objection_declined', 'approved', 'rejected'))
  );
