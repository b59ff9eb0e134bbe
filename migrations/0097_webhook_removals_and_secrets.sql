-- A removal is also sent to the web hooks that have a delivery of the question. The index is no longer limited to
-- deliveries with a request, which is removed when an author is renamed.
drop index webhook_delivery_question;
create index webhook_delivery_question on webhook_delivery (question_id, webhook_id) where question_id is not null;

-- Secrets that were replaced within the last day: a receiver may still use any of them.
create table webhook_old_secret (
  id bigint generated always as identity primary key,
  webhook_id bigint not null references webhook on delete cascade,
  encrypted_secret text not null check (encrypted_secret <> ''),
  signs_until timestamptz(3) not null
);
comment on table webhook_old_secret is 'Replaced secrets of web hooks, which sign for another day.';
create index webhook_old_secret_webhook on webhook_old_secret (webhook_id);
insert into webhook_old_secret (webhook_id, encrypted_secret, signs_until)
  select id, encrypted_previous_secret, previous_secret_until from webhook where previous_secret_until > now();
alter table webhook drop column encrypted_previous_secret, drop column previous_secret_until;
