-- Accepted answers tell their authors and the followers of the question; answers can be read in the order of their
-- votes; and a member sees what came since they last looked.

alter table notification drop constraint notification_kind_check;
alter table notification add constraint notification_kind_check check (kind in (
  'answer', 'followed_answer', 'reply_to_question', 'reply_to_answer', 'reply_to_reply',
  'vote_question', 'vote_answer', 'vote_reply', 'accepted', 'accepted_followed'
));
-- An acceptance that moves back and forth tells once of each answer.
create unique index notification_accepted_once on notification (answer_id, recipient_id)
  where kind in ('accepted', 'accepted_followed');

-- When the member opened the question again; null where they did once. A row of their own, so that nobody waits.
alter table question_view add column visited_at timestamptz(3) check (visited_at >= viewed_at);
alter table question_view set (fillfactor = 85);

-- Up votes less down votes, kept right by the triggers below. Not on the answer itself: every vote would then write the
-- answer's words into the indexes of search again.
create table answer_score (
  answer_id bigint primary key,
  question_id bigint not null,
  score bigint not null,
  created_at timestamptz(3) not null,
  foreign key (answer_id, question_id) references answer (id, question_id) on delete cascade
);
insert into answer_score (answer_id, question_id, score, created_at)
  select id, question_id, upvotes - downvotes, created_at from answer;
create index answer_score_helpful on answer_score (question_id, score desc, created_at desc, answer_id desc);

create function add_answer_score() returns trigger language plpgsql as $$
begin
  insert into answer_score (answer_id, question_id, score, created_at)
    select id, question_id, upvotes - downvotes, created_at from added;
  return null;
end $$;

create function change_answer_score() returns trigger language plpgsql as $$
begin
  update answer_score set score = new.upvotes - new.downvotes, created_at = new.created_at
  where answer_id = new.id;
  return null;
end $$;

create trigger answer_scored after insert on answer
  referencing new table as added for each statement execute function add_answer_score();
create trigger answer_voted after update on answer
  for each row
  when (old.upvotes - old.downvotes <> new.upvotes - new.downvotes or old.created_at <> new.created_at)
  execute function change_answer_score();
