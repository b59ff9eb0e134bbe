-- Moderators can remove the old name of a tag everywhere: when they rename or merge it, and that of a synonym. The key of
-- the name stays here, so that members do not see it in entries of the moderation log from before.
alter table tag_change
  add column removed_key text check (char_length(removed_key) between 1 and 70),
  add column revisions_read_to bigint,
  drop constraint tag_change_kind_check,
  add constraint tag_change_kind_check check (kind in ('merge', 'rename', 'remove_name')),
  add check (kind <> 'remove_name' or removed_key is not null);
create index tag_change_removed on tag_change (removed_key, id) where removed_key is not null;
-- A removed synonym is deleted.
create index tag_change_tag on tag_change (tag_id);
create index tag_change_into on tag_change (into_id) where into_id is not null;
