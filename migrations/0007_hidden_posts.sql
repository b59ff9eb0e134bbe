-- Hidden posts stay in their tables (docs/decisions/046). The tables get the prefix 'base_'; the views with the names
-- of before have the visible rows only and can be written to as before. So no query can show a hidden row by mistake,
-- and nodes of the previous version work during the upgrade.

alter table question rename to base_question;
alter table answer rename to base_answer;
alter table reply rename to base_reply;
alter table question_tag rename to base_question_tag;
alter table notification rename to base_notification;

comment on table base_question is 'All questions. The view question leaves out the hidden ones.';
comment on table base_answer is 'All answers. The view answer leaves out the hidden ones.';
comment on table base_reply is
  'All replies to answers, to other replies and to questions (these are called comments in the interface). The view '
  'reply leaves out the hidden ones.';
comment on table base_question_tag is 'The tags of each question. The view question_tag leaves out those of hidden questions.';
comment on table base_notification is
  'Notifications of members. The view notification leaves out those about hidden posts.';

-- hidden_by: the moderation action that hid the row. Of a hidden post, everything below it that was visible has the
-- same value, so that restoring it brings back exactly these rows.
alter table base_question add hidden_by bigint references hidden_post;
alter table base_answer add hidden_by bigint references hidden_post;
alter table base_reply
  add hidden_by bigint references hidden_post,
  -- Whether a hidden reply leaves a placeholder, because there are visible replies below it.
  add is_placeholder boolean not null default false,
  add check (hidden_by is not null or not is_placeholder);
alter table base_question_tag add hidden_by bigint references hidden_post;
alter table base_notification add hidden_by bigint references hidden_post;

-- The rows that a moderation action hid.
create index question_hidden on base_question (hidden_by) where hidden_by is not null;
create index answer_hidden on base_answer (hidden_by) where hidden_by is not null;
create index reply_hidden on base_reply (hidden_by) where hidden_by is not null;
create index question_tag_hidden on base_question_tag (hidden_by) where hidden_by is not null;
create index notification_hidden on base_notification (hidden_by) where hidden_by is not null;
-- Which tags have hidden questions.
create index question_tag_hidden_tag on base_question_tag (tag_id) where hidden_by is not null;

-- A migration that drops or adds a column of a base table drops its view first and creates it again.
create view question as select * from base_question where hidden_by is null;
comment on view question is 'Visible questions.';
create view answer as select * from base_answer where hidden_by is null;
comment on view answer is 'Visible answers.';
create view reply as select * from base_reply where hidden_by is null;
comment on view reply is
  'Visible replies, and those that their authors deleted while there were replies below them.';
create view question_tag as select * from base_question_tag where hidden_by is null;
comment on view question_tag is 'The tags of visible questions.';
create view notification as select * from base_notification where hidden_by is null;
comment on view notification is 'Notifications about visible posts.';
create view thread_reply as
  select id, question_id, answer_id, parent_reply_id, level, author_id, imported_author_name,
    case when is_placeholder then '' else content end as content,
    case when is_placeholder then updated_at else deleted_at end as deleted_at,
    case when is_placeholder then imported_upvotes else upvotes end as upvotes,
    case when is_placeholder then imported_downvotes else downvotes end as downvotes,
    source_id, source_key, source_license, created_at, updated_at,
    case when is_placeholder then null else edited_at end as edited_at
  from base_reply where hidden_by is null or is_placeholder;
comment on view thread_reply is
  'What a thread shows: visible replies, and hidden ones as placeholders, as if their authors had deleted them.';

-- Lists that are read in the order of an index: hidden rows are not in it, so that a page costs the same after a wave of
-- spam was hidden.
drop index question_recent, question_author, answer_author, answer_recent, reply_author, question_tag_newest,
  notification_newest, notification_unread, notification_pending_email, notification_pending_instant_email,
  notification_pending_push;
-- The feed of recent questions.
create index question_recent on base_question (created_at desc, id desc) where hidden_by is null;
-- The questions of a member, the latest first.
create index question_author on base_question (author_id, created_at desc, id desc) where hidden_by is null;
-- The answers of a member, the latest first.
create index answer_author on base_answer (author_id, created_at desc, id desc) where hidden_by is null;
-- Search by is:answer alone or with a date.
create index answer_recent on base_answer (created_at desc, id desc) where hidden_by is null;
-- The replies of a member, the latest first.
create index reply_author on base_reply (author_id, id desc) where hidden_by is null;
-- The questions with a tag, the latest first.
create index question_tag_newest on base_question_tag (tag_id, question_created_at desc, question_id desc)
  where hidden_by is null;
-- The notifications of a member, the latest first, and the unread ones.
create index notification_newest on base_notification (recipient_id, id desc) where hidden_by is null;
create index notification_unread on base_notification (recipient_id, id desc)
  where read_at is null and hidden_by is null;
-- What one email to a member has in it.
create index notification_pending_email on base_notification (recipient_id, id)
  where pending_email is not null and hidden_by is null;
-- The members who are due an instant email.
create index notification_pending_instant_email on base_notification (created_at)
  where pending_email = 'instant' and read_at is null and hidden_by is null;
-- The notifications to send by web push.
create index notification_pending_push on base_notification (recipient_id, id) where pending_push and hidden_by is null;

alter table hidden_post
  -- Of an answer: whether it was accepted. Of a question: the questions that were marked as its duplicates.
  add was_accepted boolean not null default false,
  add duplicates bigint[] not null default '{}';
comment on table hidden_post is
  'Posts that a moderator hid or deleted. Their rows, and those of what was visible below them, have its id in '
  'hidden_by.';
