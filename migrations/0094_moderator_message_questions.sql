-- Messages of moderators kept the title of a question of another member after it was hidden or deleted.
alter table moderator_message add column question_id bigint;
comment on column moderator_message.question_id is
  'The question with the title, which the member reads while the question is visible or their own. Null for a message about a question of the member.';
update moderator_message set question_id = hidden_post.question_id
from hidden_post where hidden_post.id = hidden_post_id and post_kind <> 'question';
-- Whose question these titles belong to is not known.
update moderator_message set title = null
where title is not null and question_id is null
  and not exists (select from hidden_post where hidden_post.id = hidden_post_id and post_kind = 'question');
