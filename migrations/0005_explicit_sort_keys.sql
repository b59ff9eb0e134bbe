-- Verbs write what these triggers wrote (DESIGN: no trigger changes domain data; ARCHITECTURE.md, 'Triggers').

-- src/server/posts/sort-keys.ts
drop trigger question_sort_key_insert on question;
drop trigger question_sort_key_update on question;
drop trigger answer_score_insert on answer;
drop trigger answer_score_update on answer;
drop trigger question_active_in_tags on question;
drop trigger question_tag_sort_key_insert on question_tag;
drop function insert_question_sort_key();
drop function update_question_sort_key();
drop function insert_answer_score();
drop function update_answer_score();
drop function update_tag_question_sort_key();
drop function insert_tag_question_sort_key();

-- `setQuestionTags` and `insertQuestion` write question.tag_text.
drop trigger question_tag_added on question_tag;
drop trigger question_tag_removed on question_tag;
drop function copy_tags_to_question();

-- `setTagFollow` counts, `followQuestion` writes the time of the question.
drop trigger tag_follow_added on tag_follow;
drop trigger tag_follow_removed on tag_follow;
drop function count_tag_follows();
drop trigger question_follow_time on question_follow;
drop function set_question_follow_time();
