-- When an event was written, not when its transaction began: what a long one tells is otherwise pruned before it is told.
alter table event alter column created_at set default clock_timestamp();
