-- What people answered to the questions of the community when they registered (docs/decisions/086). The text of the
-- question is stored as it was asked, because admins change the questions.
create table sign_up_answer (
  member_id bigint not null references member on delete cascade,
  position smallint not null check (position between 1 and 5),
  question text not null check (char_length(question) between 1 and 200),
  answer text not null check (char_length(answer) between 1 and 2000),
  primary key (member_id, position)
);
comment on table sign_up_answer is 'Answers of members to the questions of the registration.';
