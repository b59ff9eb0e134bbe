-- Every node reads the events after the last id that it has seen, also those of transactions that committed late. The
-- primary key begins with the transaction, so such a read went through the whole index.
create index event_id on event (id);
