-- Members of enough reputation vote to close a question as a duplicate, or to reopen it (docs/decisions/092).
create table close_vote (
  question_id bigint not null references base_question on delete cascade,
  member_id bigint not null references member,
  -- The original question; null for a vote to reopen.
  duplicate_of bigint references base_question on delete cascade,
  created_at timestamptz(3) not null default now(),
  -- One vote per member and question.
  primary key (question_id, member_id),
  constraint close_vote_other_question check (duplicate_of <> question_id)
);
comment on table close_vote is
  'Votes to close a question as a duplicate, or to reopen it. Deleted when they have an effect or expire.';
create index close_vote_member_id on close_vote (member_id);
create index close_vote_duplicate_of on close_vote (duplicate_of) where duplicate_of is not null;
-- Expired votes.
create index close_vote_created_at on close_vote (created_at);

create table question_closer (
  question_id bigint not null references base_question on delete cascade,
  member_id bigint not null references member,
  primary key (question_id, member_id)
);
comment on table question_closer is 'Who closed a question as a duplicate by votes.';
create index question_closer_member_id on question_closer (member_id);
