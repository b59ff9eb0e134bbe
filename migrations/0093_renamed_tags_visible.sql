-- A tag that moderators renamed is shown also if all of its questions are hidden.
create index tag_change_renamed on tag_change (tag_id) where kind = 'rename';
