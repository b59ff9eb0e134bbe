-- Moderators describe tags (docs/decisions/067).
alter table tag
  -- One line, shown with the tag; null for the description that every tag has (src/shared/posts/tags.ts).
  add description text check (char_length(description) between 1 and 200),
  -- The text of the tag's page, Markdown; null for none.
  add about text check (char_length(about) between 1 and 10000);
