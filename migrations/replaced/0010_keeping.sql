-- What members keep for themselves (bookmarks, in lists) and what they do not want to see (mutes).

create table bookmark (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  -- The question kept, or the one whose answer is kept.
  question_id bigint not null references question on delete cascade,
  -- Null where the question itself is kept.
  answer_id bigint,
  note text not null default '' check (char_length(note) <= 500),
  created_at timestamptz(3) not null default now(),
  unique (id, member_id),
  foreign key (answer_id, question_id) references answer (id, question_id) on delete cascade
);
create unique index bookmark_question on bookmark (question_id, member_id) where answer_id is null;
create unique index bookmark_answer on bookmark (answer_id, member_id) where answer_id is not null;
create index bookmark_newest on bookmark (member_id, created_at desc, id desc);
-- For the cascade of a question whose answers are kept.
create index bookmark_of_thread on bookmark (question_id);

create table bookmark_list (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  name text not null check (char_length(name) between 1 and 60),
  -- The name without case; what makes two lists of a member the same.
  key text not null check (char_length(key) between 1 and 240),
  created_at timestamptz(3) not null default now(),
  unique (member_id, key),
  unique (id, member_id)
);

create table bookmark_in_list (
  list_id bigint not null,
  bookmark_id bigint not null,
  -- Lets the foreign keys say: a bookmark stands in lists of its own member only.
  member_id bigint not null,
  primary key (list_id, bookmark_id),
  foreign key (list_id, member_id) references bookmark_list (id, member_id) on delete cascade,
  foreign key (bookmark_id, member_id) references bookmark (id, member_id) on delete cascade
);
create index bookmark_in_list_bookmark on bookmark_in_list (bookmark_id);

-- No notification of anything on the question reaches the member.
create table question_mute (
  question_id bigint not null references question on delete cascade,
  member_id bigint not null references member on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (question_id, member_id)
);
create index question_mute_member on question_mute (member_id, created_at desc, question_id desc);

-- Questions with the tag leave the member's feeds.
create table tag_mute (
  tag_id bigint not null references tag,
  member_id bigint not null references member on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (member_id, tag_id)
);

-- A member's replies by time, for the picture of their year.
create index reply_author_time on reply (author_id, created_at) where deleted_at is null;
