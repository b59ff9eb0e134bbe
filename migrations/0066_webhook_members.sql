-- The event 'member.joined' of web hooks (docs/decisions/114).
alter table webhook_delivery add member_id bigint references member;
comment on column webhook_delivery.member_id is
  'The member who joined. Deliveries about a member are deleted with the account.';
-- The deliveries about a member.
create index webhook_delivery_member on webhook_delivery (member_id) where member_id is not null;
