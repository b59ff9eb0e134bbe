-- Community care: operators, flags, what is put away (hidden or deleted) and comes back, locks, duplicates, warnings and
-- suspensions, undoing what one account did, and the log of all of it (decision 032).

alter table member
  add column role text not null default 'member' check (role in ('member', 'operator')),
  add column suspended_until timestamptz(3),
  add column suspended_for text check (char_length(suspended_for) <= 500),
  -- Nobody can sign in as a member of an archive.
  add constraint member_operator_signs_in check (role = 'member' or email is not null),
  add constraint member_suspended_for_a_reason check ((suspended_until is null) = (suspended_for is null));
create index member_operator on member (id) where role = 'operator';

alter table question
  add column locked_for text check (char_length(locked_for) between 1 and 500),
  -- The question that was asked before.
  add column duplicate_of bigint references question on delete set null check (duplicate_of <> id);
create index question_duplicate on question (duplicate_of) where duplicate_of is not null;

-- A post may be gone, or put away, while what was said of it stays: no foreign keys to posts here.
create table flag (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  post_kind text not null check (post_kind in ('question', 'answer', 'reply')),
  post_id bigint not null,
  reason text not null check (reason in ('spam', 'rude', 'off_topic', 'duplicate', 'other')),
  note text not null default '' check (char_length(note) <= 500),
  created_at timestamptz(3) not null default now(),
  closed_at timestamptz(3),
  outcome text check (outcome in ('dismissed', 'acted', 'gone')),
  unique (post_kind, post_id, member_id),
  check ((closed_at is null) = (outcome is null)),
  check (reason <> 'other' or note <> '')
);
create index flag_member on flag (member_id, id);

-- A post with open flags. The row goes when the last of them is closed or taken back.
create table flagged_post (
  id bigint generated always as identity primary key,
  post_kind text not null check (post_kind in ('question', 'answer', 'reply')),
  post_id bigint not null,
  open_flags bigint not null check (open_flags > 0),
  first_at timestamptz(3) not null default now(),
  unique (post_kind, post_id)
);
create index flagged_post_queue on flagged_post (open_flags desc, id desc);

-- Whoever deletes a flagged post has answered the flags, whichever way it goes.
create function close_flags_of_gone() returns trigger language plpgsql as $$
begin
  update flag set closed_at = now(), outcome = 'gone'
  where post_kind = tg_argv[0] and closed_at is null and post_id in (select id from gone);
  delete from flagged_post where post_kind = tg_argv[0] and post_id in (select id from gone);
  return null;
end $$;
create trigger question_gone after delete on question
  referencing old table as gone for each statement execute function close_flags_of_gone('question');
create trigger answer_gone after delete on answer
  referencing old table as gone for each statement execute function close_flags_of_gone('answer');
create trigger reply_gone after delete on reply
  referencing old table as gone for each statement execute function close_flags_of_gone('reply');

create function close_flags_of_blanked() returns trigger language plpgsql as $$
begin
  update flag set closed_at = now(), outcome = 'gone'
  where post_kind = 'reply' and closed_at is null and post_id = new.id;
  delete from flagged_post where post_kind = 'reply' and post_id = new.id;
  return null;
end $$;
create trigger reply_blanked after update on reply
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function close_flags_of_blanked();

-- Undoing everything that one account did, and taking that back. One at a time holds for a member.
create table undoing (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  operator_id bigint not null,
  reason text not null check (char_length(reason) between 1 and 500),
  state text not null default 'undoing' check (state in ('undoing', 'undone', 'restoring', 'restored')),
  posts bigint not null default 0 check (posts >= 0),
  votes bigint not null default 0 check (votes >= 0),
  posts_done bigint not null default 0 check (posts_done >= 0),
  votes_done bigint not null default 0 check (votes_done >= 0),
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  check ((finished_at is null) = (state in ('undoing', 'restoring')))
);
create unique index undoing_member on undoing (member_id) where state <> 'restored';
create index undoing_latest on undoing (member_id, id desc);
create index undoing_running on undoing (id) where state in ('undoing', 'restoring');

-- The votes that an undoing took back.
create table undone_vote (
  undoing_id bigint not null references undoing on delete cascade,
  post_kind text not null check (post_kind in ('question', 'answer', 'reply')),
  post_id bigint not null,
  direction text not null check (direction in ('up', 'down')),
  created_at timestamptz(3) not null,
  primary key (undoing_id, post_kind, post_id)
);

-- A post that an operator hid or deleted. It has left its table, with everything that hangs on it: no list, count or
-- search has to leave it out. The rows of it come back from put_away_row.
create table put_away (
  id bigint generated always as identity primary key,
  post_kind text not null check (post_kind in ('question', 'answer', 'reply')),
  post_id bigint not null,
  question_id bigint not null,
  answer_id bigint,
  author_id bigint references member on delete set null,
  how text not null check (how in ('hidden', 'deleted')),
  reason text not null check (char_length(reason) between 1 and 500),
  title text not null,
  content text not null,
  undoing_id bigint references undoing on delete set null,
  created_at timestamptz(3) not null default now(),
  -- When it is gone for good; null: it stays until somebody brings it back.
  purge_at timestamptz(3),
  unique (post_kind, post_id),
  check ((how = 'deleted') = (purge_at is not null)),
  check (post_kind <> 'question' or (post_id = question_id and answer_id is null))
);
create index put_away_author on put_away (author_id, id desc);
create index put_away_question on put_away (question_id, id);
create index put_away_purge on put_away (purge_at) where purge_at is not null;
create index put_away_undoing on put_away (undoing_id, id) where undoing_id is not null;

create table put_away_row (
  id bigint generated always as identity primary key,
  put_away_id bigint not null references put_away on delete cascade,
  -- The table the row is from.
  part text not null,
  row jsonb not null
);
create index put_away_row_part on put_away_row (put_away_id, part, id);

-- What a member is told by the operators, until they have seen it.
create table notice (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  kind text not null check (kind in ('warning', 'suspension', 'hidden', 'deleted')),
  reason text not null check (char_length(reason) between 1 and 500),
  until timestamptz(3),
  -- The title of the question it is about, where it is about a post.
  title text,
  created_at timestamptz(3) not null default now(),
  seen_at timestamptz(3),
  check ((kind = 'suspension') = (until is not null))
);
create index notice_member on notice (member_id, kind);
create index notice_unseen on notice (member_id, id) where seen_at is null;

-- What operators did and why. Names are looked up when it is read, so that it holds none.
create table care_log (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null default clock_timestamp(),
  -- Null for the command line.
  operator_id bigint,
  action text not null check (action in (
    'dismiss', 'hide', 'delete', 'restore', 'lock', 'unlock', 'duplicate', 'not_duplicate', 'warn', 'suspend',
    'lift', 'undo', 'undo_undo', 'purge', 'role'
  )),
  reason text not null default '' check (char_length(reason) <= 500),
  post_kind text check (post_kind in ('question', 'answer', 'reply')),
  post_id bigint,
  question_id bigint,
  -- Whom it is about: the author of the post, or the member.
  member_id bigint,
  -- How it was before, without the texts of members.
  before jsonb not null default '{}',
  check ((post_kind is null) = (post_id is null))
);
create index care_log_post on care_log (post_kind, post_id, id desc) where post_id is not null;

create function refuse_change_of_care_log() returns trigger language plpgsql as $$
begin
  raise exception 'what operators did is written down once and for all';
end $$;
create trigger care_log_stays before update or delete on care_log
  for each row execute function refuse_change_of_care_log();
create trigger care_log_is_not_emptied before truncate on care_log
  for each statement execute function refuse_change_of_care_log();
