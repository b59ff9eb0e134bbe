-- Addresses of an old site that lead to what was imported from it (docs/decisions/121).
create table imported_redirect (
  source_id bigint not null references import_source,
  -- The decoded path on the old site with its parameters in order, as src/server/import-export/old-addresses.ts writes it.
  address text not null,
  kind text not null check (kind in ('question', 'answer', 'reply', 'member', 'tag')),
  -- The id in this database. No foreign key, since the row may be hidden or deleted.
  target_id bigint not null,
  -- The import that added the address.
  run_id bigint not null references import_run on delete cascade,
  primary key (source_id, address)
);
comment on table imported_redirect is
  'Addresses of old sites that lead to imported posts, members and tags. Those of Stack Exchange sites follow from the '
  'numbers in imported_row.';
create index imported_redirect_run on imported_redirect (run_id);
