-- The pictures that imported posts link to, on other sites (docs/decisions/059).
create table imported_picture (
  address text primary key check (char_length(address) between 1 and 2000),
  -- Null if it was refused, or deleted since because no post showed it any more; then it can be fetched again.
  upload text references upload (name) on delete set null,
  -- Why its file can never be stored; null if it can.
  refusal text,
  check (upload is null or refusal is null)
);
comment on table imported_picture is
  'Pictures on other sites that `parley import pictures` has stored as uploads, or refused for their content.';
-- The pictures of an upload that is deleted.
create index imported_picture_upload on imported_picture (upload) where upload is not null;
