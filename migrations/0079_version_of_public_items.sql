-- Which fields the items of the list of public changes have. A newer server lists all items again once, so that mirrors
-- get the fields that it adds (docs/decisions/128). Servers from before this migration have version 1.
alter table public_change_state add column item_version int not null default 1;
