-- What is written enters the indexes of search at once. PostgreSQL would gather it in a list of up to 4 MB for each index,
-- which every search reads from its beginning to its end: in a busy community a search took ten times as long as in a quiet
-- one, and now and then somebody's answer waited until a whole list was worked off.
do $$
declare
  name regclass;
begin
  for name in
    select indexrelid from pg_index join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
    where amname = 'gin' and relnamespace = current_schema()::regnamespace
  loop
    execute format('alter index %s set (fastupdate = off)', name);
    perform gin_clean_pending_list(name);
  end loop;
end $$;
