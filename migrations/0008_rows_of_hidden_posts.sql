-- The rows of posts that were hidden before 0007 go back from JSON to their tables, hidden (docs/decisions/046).

update hidden_post set
  was_accepted = exists (select from hidden_row where hidden_post_id = hidden_post.id and part = 'accepted_by'),
  duplicates = array(
    select (row ->> 'id')::bigint from hidden_row where hidden_post_id = hidden_post.id and part = 'repeated_by'
  );

-- A reply with replies below it left an empty row, which gets its text back below. Of a question that was hidden later,
-- that empty row was stored as well.
delete from hidden_row later using hidden_row earlier
where later.part = 'reply' and earlier.part = 'reply' and later.row -> 'id' = earlier.row -> 'id' and later.id > earlier.id;
update base_reply set content = stored.content, deleted_at = null, edited_at = stored.edited_at,
  updated_at = stored.updated_at, upvotes = stored.upvotes, downvotes = stored.downvotes, hidden_by = hidden_post_id
from hidden_row hidden, jsonb_populate_record(null::base_reply, hidden.row) stored
where hidden.part = 'reply' and base_reply.id = stored.id and base_reply.deleted_at is not null;
-- Placeholders above a hidden reply that went with it.
update hidden_row set part = 'reply', row = row || jsonb_build_object(
  'content', '', 'deleted_at', now(), 'edited_at', null,
  'upvotes', row -> 'imported_upvotes', 'downvotes', row -> 'imported_downvotes'
) where part = 'above';

do $$
declare
  stored text;
  target text;
  names text;
  stored_names text;
begin
  foreach stored in array array['question', 'answer', 'reply', 'vote', 'question_view', 'question_follow',
    'question_mute', 'bookmark', 'bookmark_list_item', 'revision', 'notification']
  loop
    target := case when to_regclass('base_' || stored) is null then stored else 'base_' || stored end;
    select string_agg(quote_ident(attname), ', ' order by attnum),
      string_agg('stored.' || quote_ident(attname), ', ' order by attnum)
    into names, stored_names from pg_attribute
    where attrelid = target::regclass and attnum > 0 and not attisdropped and attgenerated = ''
      and attname not in ('hidden_by', 'is_placeholder')
      and attname in (select jsonb_object_keys(row) from hidden_row where part = stored);
    if names is not null then
      execute format(
        'insert into %1$I (%2$s %3$s) overriding system value
        select %4$s %5$s from hidden_row hidden, jsonb_populate_record(null::%1$I, hidden.row) stored
        where part = %6$L order by hidden.id on conflict do nothing',
        target, names, case when target <> stored then ', hidden_by' end,
        stored_names, case when target <> stored then ', hidden_post_id' end, stored
      );
    end if;
  end loop;
end $$;

insert into base_question_tag (question_id, tag_id, position, question_created_at, hidden_by)
select post_id, tag.id, row_number() over (partition by hidden_post_id order by hidden_row.id) - 1,
  base_question.created_at, hidden_post_id
from hidden_row join hidden_post on hidden_post.id = hidden_post_id
join base_question on base_question.id = post_id join tag on tag.name = row ->> 'name'
where part = 'tag' on conflict do nothing;

-- A reply below a hidden reply shows that one as a placeholder, up to the first level.
do $$
begin
  for depth in reverse 2..0 loop
    update base_reply set is_placeholder = true
    where base_reply.level = depth and hidden_by in (select id from hidden_post where post_kind = 'reply')
      and content <> '' and exists (
        select from base_reply child where child.parent_reply_id = base_reply.id and (
          child.hidden_by is null or child.is_placeholder
          or child.hidden_by not in (select id from hidden_post where post_kind = 'reply')
        )
      );
  end loop;
end $$;

drop table hidden_row;

-- The hidden replies to an answer that its author deletes.
create index hidden_post_answer on hidden_post (answer_id) where answer_id is not null;
