-- The language of a member's emails and push messages (docs/decisions/088).
alter table member add column language text check (language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$');
comment on column member.language is 'Null: the language of the community.';
-- The language of the member when the event happened: the row of the member may be empty before the email is sent.
alter table security_event add column notify_language text;
