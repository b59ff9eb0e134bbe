-- Deleting a web hook with millions of deliveries takes longer than a request may. A job deletes both.
alter table webhook add column deleted_at timestamptz(3);
alter table webhook add constraint webhook_deleted_is_off check (deleted_at is null or not is_enabled);
