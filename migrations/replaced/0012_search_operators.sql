-- Search by operators (score, answers, dates, members) and as one types.

-- answers:3.. and answers:0
create index question_answers on question (answer_count, created_at desc, id desc);
-- is:answer with a date, or alone
create index answer_recent on answer (created_at desc, id desc);
-- One or two letters, which the indexes of parts cannot find. Imported titles and names can be longer than an index takes.
create index question_title_start on question (lower(left(title, 60)) text_pattern_ops);
create index member_name_start on member (lower(left(display_name, 80)) text_pattern_ops);
