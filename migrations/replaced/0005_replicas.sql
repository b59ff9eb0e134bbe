-- What streaming replicas are asked before they serve reads. Both stay empty where there are none.

-- How far a replica must have replayed before this member reads from it: a place behind their last write.
create table member_written (
  member_id bigint primary key references member on delete cascade,
  lsn pg_lsn not null
) with (fillfactor = 50);

-- What each node wrote last. How old that is where a replica shows it tells how old the replica is.
create table node_beat (
  node uuid primary key,
  beat integer not null,
  at timestamptz(3) not null default now()
) with (fillfactor = 50);
