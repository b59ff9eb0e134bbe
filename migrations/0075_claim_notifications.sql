-- Notifications to moderators about claims of imported profiles, like those about other queues (0052).
alter table base_notification drop constraint notification_kind_check;
alter table base_notification add constraint notification_kind_check check (kind in (
  'answer', 'followed_answer', 'reply_to_question', 'reply_to_answer', 'reply_to_reply',
  'vote_question', 'vote_answer', 'vote_reply', 'accepted', 'accepted_followed', 'mention', 'review', 'application',
  'profile_claim', 'webhook', 'edit_suggested', 'edit_approved', 'edit_rejected', 'edited'
));
alter table base_notification drop constraint notification_review_is_about_no_post;
alter table base_notification add constraint notification_review_is_about_no_post check (
  (kind in ('review', 'application', 'profile_claim', 'webhook')) = (question_id is null)
  and (kind in ('review', 'application', 'profile_claim', 'webhook')) = (sender_id is null)
);
create unique index notification_profile_claim_unread on base_notification (recipient_id)
  where kind = 'profile_claim' and read_at is null;
create index notification_profile_claim on base_notification (recipient_id, created_at)
  where kind = 'profile_claim';
