-- The author of a post that a moderator hid or deleted can object once (docs/decisions/078).
alter table hidden_post
  add column objection text check (char_length(objection) between 1 and 1000),
  add column objection_decided_at timestamptz(3),
  add constraint hidden_post_decided_objection check (objection is not null or objection_decided_at is null);

alter table review_item
  -- Of an objection: the removal that it is about. The entry ends when the post is restored or deleted permanently.
  add column hidden_post_id bigint references hidden_post on delete cascade,
  drop constraint review_item_other_cause_check,
  add constraint review_item_other_cause_check check (other_cause in ('first_post', 'links', 'objection')),
  add constraint review_item_objection check ((other_cause is not distinct from 'objection') = (hidden_post_id is not null));
create unique index review_item_hidden_post on review_item (hidden_post_id) where hidden_post_id is not null;

alter table moderator_message
  -- The removal that the message is about, while the post can be restored.
  add column hidden_post_id bigint references hidden_post on delete set null,
  drop constraint moderator_message_kind_check,
  add constraint moderator_message_kind_check check (
    kind in ('warning', 'suspension', 'hidden', 'deleted', 'restored', 'objection_declined')
  ),
  drop constraint moderator_message_reason_check,
  add constraint moderator_message_reason_check check (
    char_length(reason) <= 500 and (reason <> '' or kind in ('restored', 'objection_declined'))
  );
create index moderator_message_hidden_post on moderator_message (hidden_post_id) where hidden_post_id is not null;
