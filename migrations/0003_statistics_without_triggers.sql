-- The verbs append their changes of statistics (src/server/posts/statistics-changes.ts, docs/decisions/045).

drop trigger question_statistics_insert on question;
drop trigger question_statistics_update on question;
drop trigger question_statistics_delete on question;
drop trigger answer_statistics_insert on answer;
drop trigger answer_statistics_update on answer;
drop trigger answer_statistics_delete on answer;
drop trigger reply_statistics_insert on reply;
drop trigger reply_statistics_update on reply;
drop trigger reply_statistics_delete on reply;
drop trigger vote_statistics_insert on vote;
drop trigger vote_statistics_update on vote;
drop trigger vote_statistics_delete on vote;
drop trigger question_tag_statistics_insert on question_tag;
drop trigger question_tag_statistics_update on question_tag;
drop trigger question_tag_statistics_delete on question_tag;
drop trigger answer_tag_statistics_insert on answer;
drop trigger answer_tag_statistics_update on answer;
drop trigger answer_tag_statistics_delete on answer;

drop function add_statistics_on_question_insert, add_statistics_on_question_update, add_statistics_on_question_delete,
  add_statistics_on_answer_insert, add_statistics_on_answer_update, add_statistics_on_answer_delete,
  add_statistics_on_reply_insert, add_statistics_on_reply_update, add_statistics_on_reply_delete,
  add_statistics_on_vote_insert, add_statistics_on_vote_update, add_statistics_on_vote_delete,
  add_tag_statistics_on_question_tag_insert, add_tag_statistics_on_question_tag_update,
  add_tag_statistics_on_question_tag_delete, add_tag_statistics_on_answer_insert,
  add_tag_statistics_on_answer_update, add_tag_statistics_on_answer_delete;

-- A deleted reply that stays as a placeholder no longer counts the upvotes it was imported with.
insert into member_statistics_change (member_id, day, upvotes)
  select author_id, utc_day(created_at), -upvotes from reply
  where deleted_at is not null and author_id is not null and upvotes <> 0;
