-- Reads of new events begin at the oldest transaction that was running (docs/decisions/042). With this index, PostgreSQL
-- reads the missed events of one topic in the order of ids, from the oldest one of the last hour.
drop index event_id;
