-- Announcements and pinned questions (docs/decisions/069).
create table announcement (
  id bigint generated always as identity primary key,
  -- A pinned question, or else a text with a link.
  question_id bigint references base_question on delete cascade,
  text text check (char_length(text) between 1 and 200),
  link text check (char_length(link) between 1 and 500),
  -- The tag on whose page it is shown; null for the home page.
  tag_id bigint references tag,
  -- Null for no end.
  until timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp(),
  check ((question_id is null) <> (text is null)),
  check (question_id is null or link is null)
);
comment on table announcement is
  'Announcements and pinned questions above the list of questions. Those that have ended are deleted when another one is posted.';
create unique index announcement_question on announcement (question_id, tag_id) nulls not distinct
  where question_id is not null;
create index announcement_tag on announcement (tag_id) where tag_id is not null;
