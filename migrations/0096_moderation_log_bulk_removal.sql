-- The page of a member for moderators lists the removals of several accounts that contained the member.
create index moderation_log_bulk_removal on moderation_log (((before ->> 'removal')::bigint))
  where action in ('bulk_remove_activity', 'bulk_restore_activity');
