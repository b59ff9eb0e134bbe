-- Where the description and the text of a tag come from, if an import wrote them (docs/decisions/129).
create table imported_tag_text (
  tag_id bigint not null references tag on delete cascade,
  -- The column of the tag.
  kind text not null check (kind in ('description', 'about')),
  source_id bigint not null references import_source,
  -- The number of the post on the site that has the text.
  source_key text not null,
  -- The page of the tag on the site, without a slash at the beginning.
  path text not null check (char_length(path) between 1 and 500),
  license text not null,
  -- Of the text as it was imported last. It differs from that of the tag's text if members changed that. Null if the import
  -- had a changed text.
  content_hash uuid,
  -- Whether moderators removed the text. Imports then leave the tag alone.
  is_removed boolean not null default false,
  -- The import that added it.
  run_id bigint references import_run on delete set null,
  primary key (tag_id, kind),
  unique (source_id, source_key)
);
comment on table imported_tag_text is 'Descriptions and texts of tags that imports wrote.';
create index imported_tag_text_run on imported_tag_text (run_id);
