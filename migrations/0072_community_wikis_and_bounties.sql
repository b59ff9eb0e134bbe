-- What the site of imported posts showed with them: community wikis and bounties (docs/decisions/120).
create table imported_wiki (
  id bigint generated always as identity primary key,
  question_id bigint unique references base_question on delete cascade,
  answer_id bigint unique references base_answer on delete cascade,
  -- When the post became a community wiki.
  since timestamptz(3) not null,
  check (num_nonnulls(question_id, answer_id) = 1)
);
comment on table imported_wiki is 'Imported posts that are community wikis on their site.';

create table imported_bounty (
  id bigint generated always as identity primary key,
  -- A question for which it was offered, or an answer to which it was awarded.
  question_id bigint references base_question on delete cascade,
  answer_id bigint references base_answer on delete cascade,
  amount integer not null check (amount > 0),
  day date not null,
  check (num_nonnulls(question_id, answer_id) = 1),
  unique nulls not distinct (question_id, answer_id, day, amount)
);
comment on table imported_bounty is 'Bounties of imported posts on their site. They have no effect here.';
create index imported_bounty_answer on imported_bounty (answer_id) where answer_id is not null;
