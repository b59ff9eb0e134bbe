-- The order in which public content changed, for programs that mirror a community (docs/decisions/113).
create table public_change (
  kind text not null check (kind in ('member', 'tag', 'question', 'answer', 'reply')),
  id bigint not null,
  -- The question of an answer or a reply, and the answer of a reply. They stay when the post is gone.
  question_id bigint,
  answer_id bigint,
  -- A hash of what is public of it, so that an event that changed nothing public is no change. 0: it is gone; null: not
  -- known yet.
  digest bigint,
  -- Of the last change. Microseconds since 1970 when it was recorded, and higher than all before it.
  position bigint not null,
  primary key (kind, id),
  check ((question_id is not null) = (kind in ('answer', 'reply'))),
  check (answer_id is null or kind = 'reply')
) with (fillfactor = 80);
comment on table public_change is
  'One row for each member, tag and post that is or was public, with the position of its last change. No foreign keys: '
  'rows of deleted posts stay, so that mirrors delete them too.';
-- The changes after a position.
create unique index public_change_position on public_change (kind, position);
-- What is below a question or an answer.
create index public_change_question on public_change (question_id) where question_id is not null;
create index public_change_answer on public_change (answer_id) where answer_id is not null;

create table public_change_state (
  is_only_row boolean primary key default true check (is_only_row),
  -- The position at which the list began. Another one means: it was built again, and mirrors start over.
  epoch bigint not null,
  -- The timeline of the database server: another one means that the last transactions may be lost.
  timeline int not null,
  last_position bigint not null
);
comment on table public_change_state is 'The state of public_change. Its row is locked while positions are assigned.';

-- Reason: better-auth inserts members in a transaction of its own, to which Parley can add nothing.
create function publish_member_joined() returns trigger language plpgsql as $$
begin
  insert into event (topic, event) values ('profile:' || new.id, '{"kind": "member-joined"}');
  return null;
end $$;
create trigger member_joined after insert on member
  for each row when (new.application is null and new.email is not null)
  execute function publish_member_joined();
create trigger member_approved after update of application on member
  for each row when (old.application is not null and new.application is null and new.deleted_at is null)
  execute function publish_member_joined();
