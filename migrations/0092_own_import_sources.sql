-- Whether posts of a source belong to this community was inferred from whether posts show the source. After an import was
-- undone, or when only rows of a badge or an old address named the site, a later import became the community's own.
alter table import_source add column is_own boolean not null default false;
comment on column import_source.is_own is
  'The posts of this source were moved here: they are the own posts of this community and show no source.';
update import_source source set is_own = true
where exists (
    select from imported_row known where known.source_id = source.id and known.kind = 'question'
      and exists (select from base_question post where post.id = known.id and post.source_id is null))
  and not exists (select from base_question where source_id = source.id)
  and not exists (select from member where source_id = source.id);
