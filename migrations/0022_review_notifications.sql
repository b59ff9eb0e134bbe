-- Notifications to moderators about the review queue (docs/decisions/070). They are about no question and come from no
-- member: reports are anonymous.
alter table base_notification drop constraint notification_kind_check;
alter table base_notification add constraint notification_kind_check check (kind in (
  'answer', 'followed_answer', 'reply_to_question', 'reply_to_answer', 'reply_to_reply',
  'vote_question', 'vote_answer', 'vote_reply', 'accepted', 'accepted_followed', 'mention', 'review'
));
alter table base_notification alter column question_id drop not null, alter column sender_id drop not null;
alter table base_notification add constraint notification_review_is_about_no_post
  check ((kind = 'review') = (question_id is null) and (kind = 'review') = (sender_id is null));
-- A moderator has at most one unread notification about the queue.
create unique index notification_review_unread on base_notification (recipient_id)
  where kind = 'review' and read_at is null;
-- When a moderator was last notified about the queue.
create index notification_review on base_notification (recipient_id, created_at) where kind = 'review';

alter table notification_preference drop constraint notification_preference_category_check;
alter table notification_preference add constraint notification_preference_category_check check (
  category in ('answers', 'followed', 'replies', 'mentions', 'accepted', 'votes', 'moderation')
);
