-- What is counted often is kept where counting costs little: the places of questions in lists leave the table of their
-- texts, and pages keep room for the next version of a row.

-- What lists of questions are sorted by, kept right by the triggers below. Not on the question itself: an index there on
-- what a vote, an answer or a reply changes makes each of them write the question's words into the indexes of search again.
create table question_place (
  question_id bigint primary key references question on delete cascade,
  created_at timestamptz(3) not null,
  active_at timestamptz(3) not null,
  upvotes bigint not null,
  answer_count bigint not null
);
insert into question_place (question_id, created_at, active_at, upvotes, answer_count)
  select id, created_at, active_at, upvotes, answer_count from question;
create index question_place_popular on question_place (upvotes desc, question_id desc);
create index question_place_unanswered on question_place (created_at desc, question_id desc) where answer_count = 0;
create index question_place_active on question_place (active_at desc, question_id desc);
-- answers:3.. and answers:0
create index question_place_answers on question_place (answer_count, created_at desc, question_id desc);
drop index question_popular, question_unanswered, question_active, question_answers;

create function add_question_place() returns trigger language plpgsql as $$
begin
  insert into question_place (question_id, created_at, active_at, upvotes, answer_count)
    select id, created_at, active_at, upvotes, answer_count from added;
  return null;
end $$;

create function change_question_place() returns trigger language plpgsql as $$
begin
  update question_place
  set created_at = new.created_at, active_at = new.active_at, upvotes = new.upvotes, answer_count = new.answer_count
  where question_id = new.id;
  return null;
end $$;

create trigger question_placed after insert on question
  referencing new table as added for each statement execute function add_question_place();
create trigger question_moved after update on question
  for each row
  when (old.upvotes <> new.upvotes or old.answer_count <> new.answer_count
    or old.active_at <> new.active_at or old.created_at <> new.created_at)
  execute function change_question_place();

-- A question that is stored with the names of its tags is not stored a second time when they are linked to it.
create or replace function copy_tags_to_question() returns trigger language plpgsql as $$
begin
  update question
  set tag_text = tags.names
  from (
    select tagged.id, coalesce((
      select string_agg(tag.name, ', ' order by question_tag.position)
      from question_tag join tag on tag.id = question_tag.tag_id
      where question_tag.question_id = tagged.id
    ), '') as names
    from (select distinct question_id as id from changed) tagged
  ) tags
  where question.id = tags.id and question.tag_text <> tags.names;
  return null;
end $$;

-- Room for a changed row beside the one it replaces: then no index has to learn where it went.
alter table question set (fillfactor = 80);
alter table answer set (fillfactor = 80);
alter table reply set (fillfactor = 85);
alter table member set (fillfactor = 80);
alter table question_place set (fillfactor = 90);
alter table answer_score set (fillfactor = 90);
alter table rate_limit set (fillfactor = 50);
analyze question_place;
