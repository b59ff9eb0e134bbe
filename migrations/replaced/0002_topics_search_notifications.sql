-- Topics with their newest questions, search, notifications, and what members decide about themselves.

create extension if not exists pg_trgm;

-- Whether other members see the address on the profile.
alter table member add column show_email boolean not null default true;

-- The time of the latest question or answer with the tag; null where there is none.
alter table tag add column active_at timestamptz(3);
update tag set active_at = latest.at from (
  select tag_id, max(greatest(question.created_at, answer.created_at)) as at
  from question_tag join question on question.id = question_tag.question_id
  left join answer on answer.question_id = question.id group by tag_id
) latest where latest.tag_id = tag.id;
create index tag_popular on tag (questions_count desc, id) where questions_count > 0;
create index tag_active on tag (active_at desc, id) where questions_count > 0;
create index tag_alphabetical on tag (key, id) where questions_count > 0;
create index tag_search on tag using gin (key gin_trgm_ops);

-- The time of the question, again, so that an index can serve a topic's newest questions in order.
alter table question_tag add column asked_at timestamptz(3);
alter table question add unique (id, created_at);
update question_tag set asked_at = question.created_at from question where question.id = question_id;
alter table question_tag
  alter column asked_at set not null,
  add foreign key (question_id, asked_at) references question (id, created_at) on delete cascade;
drop index question_tag_tag;
create index question_tag_newest on question_tag (tag_id, asked_at desc, question_id desc);

-- The time of the latest answer, reply or edit, or of the question itself.
alter table question add column active_at timestamptz(3) not null default now();
update question set active_at = created_at;
create index question_active on question (active_at desc, id desc);

-- What search looks at. The tags stand here once more as text, kept right by the trigger below.
alter table question add column tag_text text not null default '';
update question set tag_text = tags.names from (
  select question_id, string_agg(tag.name, ', ' order by position) as names
  from question_tag join tag on tag.id = tag_id group by question_id
) tags where tags.question_id = question.id;
alter table question add column words tsvector generated always as (
  setweight(to_tsvector('english', left(title, 1000)), 'A')
  || setweight(to_tsvector('english', tag_text), 'B')
  || setweight(to_tsvector('english', left(content, 100000)), 'D')
) stored;
alter table answer add column words tsvector generated always as (
  to_tsvector('english', left(content, 100000))
) stored;
create index question_words on question using gin (words);
create index question_title_parts on question using gin (title gin_trgm_ops);
create index question_tag_parts on question using gin (tag_text gin_trgm_ops);
create index question_content_parts on question using gin (content gin_trgm_ops);
create index answer_words on answer using gin (words);
create index answer_content_parts on answer using gin (content gin_trgm_ops);
create index member_name_parts on member using gin (display_name gin_trgm_ops);

create function copy_tags_to_question() returns trigger language plpgsql as $$
begin
  update question
  set tag_text = coalesce((
    select string_agg(tag.name, ', ' order by question_tag.position)
    from question_tag join tag on tag.id = question_tag.tag_id
    where question_tag.question_id = question.id
  ), '')
  where id in (select question_id from changed);
  return null;
end $$;

create trigger question_tag_added after insert on question_tag
  referencing new table as changed for each statement execute function copy_tags_to_question();
create trigger question_tag_removed after delete on question_tag
  referencing old table as changed for each statement execute function copy_tags_to_question();

create table notification (
  id bigint generated always as identity primary key,
  recipient_id bigint not null references member on delete cascade,
  sender_id bigint not null references member on delete cascade,
  kind text not null check (kind in (
    'answer', 'followed_answer', 'reply_to_question', 'reply_to_answer', 'reply_to_reply',
    'vote_question', 'vote_answer', 'vote_reply'
  )),
  question_id bigint not null references question on delete cascade,
  answer_id bigint references answer on delete cascade,
  reply_id bigint references reply on delete cascade,
  created_at timestamptz(3) not null default now(),
  read_at timestamptz(3),
  check (recipient_id <> sender_id)
);
create index notification_newest on notification (recipient_id, id desc);
create index notification_unread on notification (recipient_id, id desc) where read_at is null;
create index notification_question on notification (question_id);
create index notification_answer on notification (answer_id) where answer_id is not null;
create index notification_reply on notification (reply_id) where reply_id is not null;
-- A vote that goes back and forth tells once; an answer or reply tells each recipient once.
create unique index notification_vote_question on notification (question_id, sender_id) where kind = 'vote_question';
create unique index notification_vote_answer on notification (answer_id, sender_id) where kind = 'vote_answer';
create unique index notification_vote_reply on notification (reply_id, sender_id) where kind = 'vote_reply';
create unique index notification_answer_once on notification (answer_id, recipient_id)
  where kind in ('answer', 'followed_answer');
create unique index notification_reply_once on notification (reply_id, recipient_id)
  where kind in ('reply_to_question', 'reply_to_answer', 'reply_to_reply');
