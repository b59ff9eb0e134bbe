-- Avatars: uploads of kind 'avatar' (docs/decisions/058). The name is in the member's row, so that a post is read with
-- its author's avatar without another join.
alter table member add column avatar text references upload (name) on delete set null;
comment on column member.avatar is 'The name of the upload that is shown instead of the initial.';
-- The member of an upload that is deleted.
create unique index member_avatar on member (avatar) where avatar is not null;

alter table moderation_log drop constraint moderation_log_action_check;
alter table moderation_log add constraint moderation_log_action_check check (action in (
  'dismiss', 'hide', 'delete', 'restore', 'lock', 'unlock', 'duplicate', 'not_duplicate', 'warn', 'suspend',
  'lift_suspension', 'remove_avatar', 'remove_activity', 'restore_activity', 'purge', 'role', 'approve',
  'bulk_remove_activity', 'bulk_restore_activity'
));
