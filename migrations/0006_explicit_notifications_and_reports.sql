-- Verbs write what these triggers wrote (ARCHITECTURE.md, 'Triggers').

-- The statement that inserts notifications applies the preferences (src/server/notifications/notifications-queries.ts);
-- src/shared/notifications/notification-kinds.ts has the category of each kind.
drop trigger notification_channels on notification;
drop function apply_notification_preference();
drop function notification_category(text);

