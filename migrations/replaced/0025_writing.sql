-- Every vote and answer writes several events: they stand in two indexes instead of four. The stream is read by its
-- transactions and by topics, and is pruned from its beginning.
alter table event drop constraint event_pkey;
drop index event_order, event_age;
alter table event add primary key (transaction_id, id);
