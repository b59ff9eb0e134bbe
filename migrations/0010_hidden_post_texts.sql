-- The texts of hidden posts stay in their tables (docs/decisions/046), so the copies are not needed.
alter table hidden_post drop column title, drop column content;
