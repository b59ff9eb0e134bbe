-- Merging an account into another one (docs/decisions/090).
create table account_merge (
  -- The merged account. Its row stays, without name and address, so that its profile leads to the other one.
  member_id bigint primary key references member,
  into_id bigint not null references member,
  -- The admin.
  moderator_id bigint not null,
  -- How much there was at the start, and how much a job has moved.
  posts bigint not null check (posts >= 0),
  votes bigint not null check (votes >= 0),
  posts_done bigint not null default 0 check (posts_done >= 0),
  votes_done bigint not null default 0 check (votes_done >= 0),
  started_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  check (member_id <> into_id)
);
comment on table account_merge is
  'Merged accounts. A job moves what belongs to them in small transactions. An account never leads to one that was merged itself.';
-- The accounts that were merged into one.
create index account_merge_into on account_merge (into_id);
-- The job.
create index account_merge_running on account_merge (started_at) where finished_at is null;

-- The hidden posts of a member; the indexes by author leave them out (0007_hidden_posts.sql).
create index question_hidden_author on base_question (author_id) where hidden_by is not null;
create index answer_hidden_author on base_answer (author_id) where hidden_by is not null;
create index reply_hidden_author on base_reply (author_id) where hidden_by is not null;
