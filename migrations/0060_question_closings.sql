-- Why the site of an imported question closed it (docs/decisions/108).
create table question_closing (
  question_id bigint primary key references base_question on delete cascade,
  -- The reasons of Stack Exchange; 'other' if the archive does not say.
  reason text not null check (reason in ('duplicate', 'off-topic', 'unclear', 'too-broad', 'opinion-based',
    'not-constructive', 'not-a-question', 'too-localized', 'general-reference', 'noise', 'other')),
  closed_at timestamptz(3) not null
);
comment on table question_closing is
  'Imported questions that are closed on their site, except duplicates whose original is here: duplicate_of has these.';
comment on table question_closer is 'Who closed a question, by votes here or on the site that it was imported from.';
