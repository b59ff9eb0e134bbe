-- The list of members, for moderators: the latest first, and those that are suspended.
drop index member_registered;
create index member_registered on member (created_at, id) where source_id is null;
create index member_suspended on member (id) where suspended_until is not null;
