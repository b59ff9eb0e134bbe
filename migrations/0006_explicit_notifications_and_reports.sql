-- Verbs write what these triggers wrote (ARCHITECTURE.md, 'Triggers').

-- The statement that inserts notifications applies the preferences (src/server/notifications/notifications-queries.ts);
-- src/shared/notifications/notification-kinds.ts has the category of each kind.
drop trigger notification_channels on notification;
drop function apply_notification_preference();
drop function notification_category(text);

-- The verbs that delete posts close the reports (src/server/posts/reports-closing.ts).
drop trigger question_reports_delete on question;
drop trigger answer_reports_delete on answer;
drop trigger reply_reports_delete on reply;
drop trigger reply_reports_update on reply;
drop function close_reports_of_deleted_posts();
drop function close_reports_of_deleted_reply();
