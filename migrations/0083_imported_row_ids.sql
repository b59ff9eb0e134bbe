-- `parley import pictures` finds the posts of all imports by their ids.
create index imported_row_id on imported_row (kind, id);
