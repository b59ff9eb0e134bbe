-- The versions of imported posts, with their editors (docs/decisions/108).
alter table revision
  -- Whether an import added this version. A post with another one was edited here.
  add is_imported boolean not null default false,
  -- The edit that replaced this version on the site: who made it, a name for an editor without an account, who approved it,
  -- and its summary.
  add imported_editor_id bigint references member,
  add imported_editor_name text,
  add imported_approver_id bigint references member,
  add imported_summary text;
create index revision_imported_editor on revision (imported_editor_id) where imported_editor_id is not null;
create index revision_imported_approver on revision (imported_approver_id) where imported_approver_id is not null;
