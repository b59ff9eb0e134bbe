-- Lists and counts whose cost grew with what one topic or one member has: each is now served in its order by an index, or
-- counted where it changes.

-- How many follow a topic, kept right by the triggers below. Whoever follows locks the topic first.
alter table tag add column followers_count bigint not null default 0 check (followers_count >= 0);
update tag set followers_count = followed.followers
from (select tag_id, count(*) as followers from tag_follow group by tag_id) followed
where followed.tag_id = tag.id;

create function count_tag_follows() returns trigger language plpgsql as $$
begin
  update tag set followers_count = followers_count + changed.by
  from (
    select tag_id, count(*) * case tg_op when 'INSERT' then 1 else -1 end as by from changed group by tag_id
  ) changed
  where tag.id = changed.tag_id;
  return null;
end $$;

create trigger tag_follow_added after insert on tag_follow
  referencing new table as changed for each statement execute function count_tag_follows();
create trigger tag_follow_removed after delete on tag_follow
  referencing old table as changed for each statement execute function count_tag_follows();

-- Pages of topics go on behind the last one seen. Both keys of an index run in one direction, so that it finds the place.
drop index tag_popular, tag_active;
create index tag_popular on tag (questions_count desc, id desc) where questions_count > 0;
create index tag_active on tag (active_at desc nulls last, id desc) where questions_count > 0;

-- What a member follows, the latest first.
drop index tag_follow_member;
create index tag_follow_latest on tag_follow (member_id, created_at desc, tag_id desc);

-- The time of the question, again, so that an index can serve a member's followed questions, the newest first.
alter table question_follow add column asked_at timestamptz(3);
update question_follow set asked_at = question.created_at from question where question.id = question_id;
alter table question_follow
  alter column asked_at set not null,
  add foreign key (question_id, asked_at) references question (id, created_at) on delete cascade;

create function copy_time_to_question_follow() returns trigger language plpgsql as $$
begin
  new.asked_at := (select created_at from question where id = new.question_id);
  return new;
end $$;

create trigger question_follow_timed before insert on question_follow
  for each row when (new.asked_at is null) execute function copy_time_to_question_follow();

drop index question_follow_member;
create index question_follow_latest on question_follow (member_id, created_at desc, question_id desc);
create index question_follow_newest on question_follow (member_id, asked_at desc, question_id desc);

-- The sessions of a member, the latest first.
drop index session_member;
create index session_latest on session (member_id, created_at desc);

analyze tag, tag_follow, question_follow;
