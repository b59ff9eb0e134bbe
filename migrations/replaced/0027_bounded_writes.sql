-- PostgreSQL's parser of texts looks ahead within everything written without spaces, as addresses and paths are, and to the
-- end of a comment that begins with '<!': the time for 30,000 characters of 'a_a_a_…' or '<!--<!--…' grew with the square of
-- the length, to seconds. Now it gets pieces of at most 50 such characters, and no beginnings of comments (decision 036).
create function search_parsed(text text) returns tsvector language sql immutable parallel safe cost 10000
begin atomic
  select to_tsvector('english', regexp_replace(
    replace(left(text, 100000), '<!', '< '), '([\u0021-\u007e]{50})', '\1 ', 'g'
  ));
end;

create or replace function search_stems(text text) returns tsvector language sql immutable parallel safe cost 10000
begin atomic
  select strip(search_parsed(left(text, 1000)));
end;

-- The indexes of search hold the column, too. PostgreSQL 15 and 16 can give it another expression in no other way.
drop index question_search, question_search_known, question_search_best;
drop index answer_search, answer_search_known, answer_search_best;
alter table question drop column words;
alter table answer drop column words;
alter table question add column words tsvector generated always as (
  setweight(search_parsed(left(title, 1000)), 'A')
  || setweight(search_parsed(tag_text), 'B')
  || setweight(search_parsed(content), 'D')
) stored;
alter table answer add column words tsvector generated always as (search_parsed(content)) stored;
alter table question alter column words set statistics 500;

create index question_search on question using gin (
  search_words(title), search_stems(title), search_words(tag_text), search_stems(tag_text),
  search_words(title || ' ' || tag_text || ' ' || content), words
) with (fastupdate = off);
create index question_search_known on question using gin (
  search_words(title), search_stems(title), search_words(tag_text), search_stems(tag_text),
  search_words(title || ' ' || tag_text || ' ' || content), words
) with (fastupdate = off) where tier <= 1;
create index question_search_best on question using gin (
  search_words(title), search_stems(title), search_words(tag_text), search_stems(tag_text),
  search_words(title || ' ' || tag_text || ' ' || content), words
) with (fastupdate = off) where tier = 0;
create index answer_search on answer using gin (search_words(content), words) with (fastupdate = off);
create index answer_search_known on answer using gin (search_words(content), words)
  with (fastupdate = off) where tier <= 1;
create index answer_search_best on answer using gin (search_words(content), words)
  with (fastupdate = off) where tier = 0;
analyze question (words);

-- Each word is looked up by its index. PostgreSQL was free to compare all words of a text with all known ones, and in a young
-- community did so: a text of 8,000 new words took 18 seconds.
create function learn_words(texts text[]) returns void language sql as $$
  insert into search_word (word)
    select word from (
      select distinct word from unnest(texts) as text, unnest(tsvector_to_array(search_words(text))) as word
    ) each
    where char_length(word) between 3 and 200
      and (select known.word from search_word known where known.word = each.word limit 1) is null
$$;

create or replace function learn_question_words() returns trigger language plpgsql as $$
begin
  perform learn_words(array(select title || ' ' || tag_text || ' ' || content from added));
  return null;
end $$;

create or replace function learn_answer_words() returns trigger language plpgsql as $$
begin
  perform learn_words(array(select content from added));
  return null;
end $$;

create or replace function learn_changed_words() returns trigger language plpgsql as $$
declare
  post jsonb := to_jsonb(new);
begin
  perform learn_words(array[concat_ws(' ', post ->> 'title', post ->> 'tag_text', post ->> 'content')]);
  return null;
end $$;

-- Versions of a post are numbered, since not all are kept; 1 is the first. Edits within five minutes of the one that
-- replaced a version become one with it.
alter table revision add column number bigint check (number > 0), add column replaced_at timestamptz(3);
update revision set number = numbered.number
from (
  select id, row_number() over (partition by question_id, answer_id, reply_id order by id) as number from revision
) numbered
where numbered.id = revision.id;
alter table revision alter column number set not null;
-- Those of hidden posts come back with the posts.
update put_away_row set row = row || jsonb_build_object('number', numbered.number)
from (
  select id, row_number() over (
    partition by put_away_id, row ->> 'question_id', row ->> 'answer_id', row ->> 'reply_id' order by (row ->> 'id')::bigint
  ) as number
  from put_away_row where part = 'revision'
) numbered
where numbered.id = put_away_row.id;
-- Of more than 100, the first and the latest are kept (src/server/posts/revisions.ts).
delete from revision
using (select question_id, answer_id, reply_id, max(number) as latest from revision group by 1, 2, 3) post
where (revision.question_id, revision.answer_id, revision.reply_id)
    is not distinct from (post.question_id, post.answer_id, post.reply_id)
  and number > 1 and number <= latest - 99;
drop index revision_question, revision_answer, revision_reply;
create unique index revision_question on revision (question_id, number) where question_id is not null;
create unique index revision_answer on revision (answer_id, number) where answer_id is not null;
create unique index revision_reply on revision (reply_id, number) where reply_id is not null;
