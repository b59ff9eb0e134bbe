-- What one member or topic has of everything is summed up where it is written, so that a profile and the pictures of a year
-- cost the same however much there is (decision 035). Whoever writes appends what changed and waits for nobody; a job adds
-- that to the sums. What is read is the sum and what was not added to it yet: one statement sees both or neither.

-- What a member wrote and earned on a day, in UTC; of about a year (src/server/sums).
create table member_day (
  member_id bigint not null references member on delete cascade,
  day date not null,
  questions int not null,
  answers int not null,
  replies int not null,
  -- By the votes of others that were cast on that day and stand.
  points int not null,
  primary key (member_id, day)
) with (fillfactor = 90);

-- What all posts of a member were given.
create table member_received (
  member_id bigint primary key references member on delete cascade,
  upvotes bigint not null,
  views bigint not null
) with (fillfactor = 80);

-- What is to be added to both. No keys: rows come with every vote, view and post, and go within a minute or so.
create table member_change (
  member_id bigint not null,
  day date not null,
  questions int not null default 0,
  answers int not null default 0,
  replies int not null default 0,
  points int not null default 0,
  upvotes bigint not null default 0,
  views bigint not null default 0
);
create index member_change_member on member_change (member_id);

-- Questions of a topic by the week they were asked in, and answers to all its questions by theirs; weeks begin on Mondays.
create table topic_week (
  tag_id bigint not null references tag on delete cascade,
  week date not null,
  questions int not null,
  answers int not null,
  primary key (tag_id, week)
) with (fillfactor = 90);

create table topic_change (
  tag_id bigint not null,
  week date not null,
  questions int not null default 0,
  answers int not null default 0
);
create index topic_change_tag on topic_change (tag_id);

-- Whether the sums of what was there before this migration are made: a job does that bit by bit, and until then what is
-- read is counted. Who comes later has sums from the beginning.
alter table member add column is_summed boolean not null default false;
alter table member alter column is_summed set default true;
create index member_unsummed on member (id) where not is_summed;
alter table tag add column is_summed boolean not null default false;
alter table tag alter column is_summed set default true;
create index tag_unsummed on tag (id) where not is_summed;

create function day_of(at timestamptz) returns date language sql immutable parallel safe
  return (at at time zone 'UTC')::date;
create function week_of(at timestamptz) returns date language sql immutable parallel safe
  return date_trunc('week', at at time zone 'UTC')::date;

-- A post counts for its author on the day it was written. Posts keep their authors.
do $$
declare
  kind text;
  part text;
  whole text;
  changes text;
begin
  foreach kind in array array['question', 'answer', 'reply'] loop
    part := format(
      'select author_id, day_of(created_at) as day, %s * %%1$s as posts, upvotes * %%1$s as upvotes, %s * %%1$s as views
       from %%2$s where author_id is not null',
      case kind when 'reply' then '(deleted_at is null)::int' else '1' end,
      case kind when 'question' then 'views' else '0' end
    );
    whole := '
      insert into member_change (member_id, day, ' || case kind when 'reply' then 'replies' else kind || 's' end || ', upvotes, views)
      select author_id, day, sum(posts), sum(upvotes), sum(views) from (%s) part
      group by author_id, day having sum(posts) <> 0 or sum(upvotes) <> 0 or sum(views) <> 0;';
    foreach changes in array array['insert', 'delete', 'update'] loop
      execute format(
        'create function sum_%1$s_%2$s() returns trigger language plpgsql as $body$ begin %3$s return null; end $body$',
        kind, changes, format(whole, case changes
          when 'insert' then format(part, '1', 'added')
          when 'delete' then format(part, '-1', 'removed')
          else format(part, '1', 'added') || ' union all ' || format(part, '-1', 'removed') end));
      execute format(
        'create trigger %1$s_summed_%2$s after %2$s on %1$s referencing %3$s
         for each statement execute function sum_%1$s_%2$s()',
        kind, changes, case changes
          when 'insert' then 'new table as added'
          when 'delete' then 'old table as removed'
          else 'new table as added old table as removed' end);
    end loop;
  end loop;
end $$;

-- A vote counts for the author of the post on the day it was cast; one's own gives no points.
do $$
declare
  points text;
  changes text;
begin
  points := '
    select author_id, day_of(vote.created_at) as day, case direction when ''up'' then 5 else -2 end * %1$s as points
    from %2$s vote join question post on post.id = vote.question_id where author_id <> member_id
    union all
    select author_id, day_of(vote.created_at), case direction when ''up'' then 10 else -2 end * %1$s
    from %2$s vote join answer post on post.id = vote.answer_id where author_id <> member_id
    union all
    select author_id, day_of(vote.created_at), case direction when ''up'' then 2 else -2 end * %1$s
    from %2$s vote join reply post on post.id = vote.reply_id where author_id <> member_id';
  foreach changes in array array['insert', 'delete', 'update'] loop
    execute format(
      'create function sum_vote_%1$s() returns trigger language plpgsql as $body$
       begin
         insert into member_change (member_id, day, points)
         select author_id, day, sum(points) from (%2$s) earned group by author_id, day having sum(points) <> 0;
         return null;
       end $body$',
      changes, case changes
        when 'insert' then format(points, '1', 'added')
        when 'delete' then format(points, '-1', 'removed')
        else format(points, '1', 'added') || ' union all ' || format(points, '-1', 'removed') end);
    execute format(
      'create trigger vote_summed_%1$s after %1$s on vote referencing %2$s
       for each statement execute function sum_vote_%1$s()',
      changes, case changes
        when 'insert' then 'new table as added'
        when 'delete' then 'old table as removed'
        else 'new table as added old table as removed' end);
  end loop;
end $$;

-- A question that gets a tag, or loses one, comes or goes with its answers.
do $$
declare
  links text;
  changes text;
begin
  links := '
    select tag_id, week_of(asked_at) as week, %1$s as questions, 0 as answers from %2$s
    union all
    select tag_id, week_of(answer.created_at), 0, %1$s
    from %2$s link join answer on answer.question_id = link.question_id';
  foreach changes in array array['insert', 'delete', 'update'] loop
    execute format(
      'create function sum_question_tag_%1$s() returns trigger language plpgsql as $body$
       begin
         insert into topic_change (tag_id, week, questions, answers)
         select tag_id, week, sum(questions), sum(answers) from (%2$s) link
         group by tag_id, week having sum(questions) <> 0 or sum(answers) <> 0;
         return null;
       end $body$',
      changes, case changes
        when 'insert' then format(links, '1', 'added')
        when 'delete' then format(links, '-1', 'removed')
        else format(links, '1', 'added') || ' union all ' || format(links, '-1', 'removed') end);
    execute format(
      'create trigger question_tag_summed_%1$s after %1$s on question_tag referencing %2$s
       for each statement execute function sum_question_tag_%1$s()',
      changes, case changes
        when 'insert' then 'new table as added'
        when 'delete' then 'old table as removed'
        else 'new table as added old table as removed' end);
  end loop;
end $$;

create function sum_answer_of_topics_insert() returns trigger language plpgsql as $$
begin
  insert into topic_change (tag_id, week, answers)
  select tag_id, week_of(created_at), count(*)
  from added join question_tag link on link.question_id = added.question_id group by 1, 2;
  return null;
end $$;
create function sum_answer_of_topics_delete() returns trigger language plpgsql as $$
begin
  insert into topic_change (tag_id, week, answers)
  select tag_id, week_of(created_at), -count(*)
  from removed join question_tag link on link.question_id = removed.question_id group by 1, 2;
  return null;
end $$;
create function sum_answer_of_topics_update() returns trigger language plpgsql as $$
begin
  insert into topic_change (tag_id, week, answers)
  select tag_id, moved.week, moved.by
  from (values (week_of(new.created_at), 1), (week_of(old.created_at), -1)) moved (week, by), question_tag link
  where link.question_id = new.question_id;
  return null;
end $$;
create trigger answer_of_topics_summed_insert after insert on answer
  referencing new table as added for each statement execute function sum_answer_of_topics_insert();
create trigger answer_of_topics_summed_delete after delete on answer
  referencing old table as removed for each statement execute function sum_answer_of_topics_delete();
create trigger answer_of_topics_summed_update after update on answer
  for each row when (old.created_at <> new.created_at)
  execute function sum_answer_of_topics_update();

-- Questions that were active lately, in each of their topics, the latest first: so that what is active in the topics a
-- member follows is found however many questions these have. Rows of before go when something is added up for the topic.
create table topic_place (
  question_id bigint not null,
  tag_id bigint not null,
  active_at timestamptz(3) not null,
  primary key (question_id, tag_id),
  foreign key (question_id, tag_id) references question_tag (question_id, tag_id) on delete cascade
) with (fillfactor = 80);
insert into topic_place (question_id, tag_id, active_at)
  select question_id, tag_id, active_at from question_place join question_tag using (question_id)
  where active_at > now() - interval '8 days';
create index topic_place_active on topic_place (tag_id, active_at desc, question_id desc);

create function place_in_topics() returns trigger language plpgsql as $$
begin
  insert into topic_place (question_id, tag_id, active_at)
  select question_id, tag_id, new.active_at from question_tag where question_id = new.id
  on conflict (question_id, tag_id) do update set active_at = excluded.active_at;
  return null;
end $$;
create trigger question_active_in_topics after update on question
  for each row when (old.active_at <> new.active_at) execute function place_in_topics();

create function place_in_added_topics() returns trigger language plpgsql as $$
begin
  insert into topic_place (question_id, tag_id, active_at)
  select added.question_id, added.tag_id, question.active_at
  from added join question on question.id = added.question_id
  where question.active_at > now() - interval '8 days';
  return null;
end $$;
create trigger question_tag_placed after insert on question_tag
  referencing new table as added for each statement execute function place_in_added_topics();
analyze topic_place;
