-- Admins change the settings of the site and the roles of members, and may do all that moderators may
-- (docs/decisions/063).
alter table member drop constraint member_role_check;
alter table member add constraint member_role_check check (role in ('member', 'moderator', 'admin'));
drop index member_moderator;
create index member_moderator on member (id) where role <> 'member';

-- The actions are listed in src/shared/moderation/moderation.ts alone: each new one would repeat the whole list here.
alter table moderation_log drop constraint moderation_log_action_check;
alter table moderation_log add constraint moderation_log_action_check check (action ~ '^[a-z_]{1,40}$');
alter table moderation_log add column subject text check (char_length(subject) <= 200);
comment on column moderation_log.subject is 'What the action is about if that is neither a post nor a member: the name of a setting or a tag.';
alter table moderation_log add column after jsonb not null default '{}';
comment on column moderation_log.after is 'The state after, for actions that set values.';
