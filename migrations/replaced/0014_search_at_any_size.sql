-- Search whose cost does not grow with the community (docs/search.md, decision 026).

-- Signs become spaces, capitals small letters. By name of the characters, so that it is the same under every locale.
create function search_plain(text text) returns text language sql immutable parallel safe as $$
  select regexp_replace(
    lower(text),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u206f\u2190-\u2bff\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]+',
    ' ', 'g'
  )
$$;

-- What stands without spaces, as in Chinese and Japanese, by its signs and their pairs.
create function search_pairs(text text) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(coalesce(array_agg(distinct key), '{}')) from (
    select unnest(array[sign, sign || lead(sign) over (partition by run order by place)]) as key from (
      select run, sign, place
      from regexp_matches(text, '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+', 'g')
        with ordinality as found (signs, run),
        lateral string_to_table(signs[1], null) with ordinality as each (sign, place)
    ) sign
  ) pair where key is not null
$$;

-- Names such as c++ and c#, with their signs.
create function search_signed(text text) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(array(
    select distinct left(name[1], 200) from regexp_matches(lower(text), '[[:alnum:]]+[+#]+', 'g') as name
  ))
$$;

-- The words of a text as they are, each once, without order. Its parts are bound when it is made: an index is built, and
-- its statistics are taken, without the schemas that a connection searches.
create function search_words(text text) returns tsvector language sql immutable parallel safe cost 10000
begin atomic
  select strip(
    to_tsvector('simple', case when unspaced
      then regexp_replace(plain, '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+', ' ', 'g')
      else plain
    end)
    || case when unspaced then search_pairs(plain) else '' end
    || case when strpos(text, '+') > 0 or strpos(text, '#') > 0 then search_signed(left(text, 100000)) else '' end
  )
  from (select search_plain(left(text, 100000)) as plain offset 0) as plain, lateral (
    -- What is written in single bytes alone has none of these signs: most texts need not be looked through.
    select octet_length(plain) > char_length(plain)
      and plain ~ '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]' as unspaced
    offset 0
  ) as written;
end;

create function search_stems(text text) returns tsvector language sql immutable parallel safe cost 10000 as $$
  select strip(to_tsvector('english', left(text, 1000)))
$$;

-- 0: the best known, a few thousand; 1: some ten thousand more; 2: all others. Set from time to time (search/known.ts).
alter table question add column tier smallint not null default 2 check (tier between 0 and 2);
alter table answer add column tier smallint not null default 2 check (tier between 0 and 2);
update question set tier = case when rank <= 2000 then 0 else 1 end
from (
  select question_id, row_number() over (order by upvotes desc, question_id desc) as rank from question_place
  order by upvotes desc, question_id desc limit 40000
) known
where question_id = id and (select count(*) from (select from question_place limit 20000) few) = 20000;
update answer set tier = case when rank <= 5000 then 0 else 1 end
from (
  select answer_id, row_number() over (order by score desc, answer_id desc) as rank from answer_score
  order by score desc, answer_id desc limit 100000
) known
where answer_id = id and (select count(*) from (select from answer_score limit 50000) few) = 50000;
create index question_tier on question (tier, id) where tier <= 1;
create index answer_tier on answer (tier, id) where tier <= 1;

drop index question_words, question_tag_parts, question_content_parts, answer_words, answer_content_parts;
create index question_search on question using gin (
  search_words(title), search_stems(title), search_words(tag_text), search_stems(tag_text),
  search_words(title || ' ' || tag_text || ' ' || content), words
);
create index question_search_known on question using gin (
  search_words(title), search_stems(title), search_words(tag_text), search_stems(tag_text),
  search_words(title || ' ' || tag_text || ' ' || content), words
) where tier <= 1;
create index question_search_best on question using gin (
  search_words(title), search_stems(title), search_words(tag_text), search_stems(tag_text),
  search_words(title || ' ' || tag_text || ' ' || content), words
) where tier = 0;
create index answer_search on answer using gin (search_words(content), words);
create index answer_search_known on answer using gin (search_words(content), words) where tier <= 1;
create index answer_search_best on answer using gin (search_words(content), words) where tier = 0;

-- What is meant by a text with typing errors: titles of the known questions first.
create index question_title_parts_known on question using gin (title gin_trgm_ops) where tier <= 1;

-- The words there are, for what is looked for inside words. How often each is used is known from a sample (search/known.ts).
-- Two posts with the same word at the same moment may both add it: a unique index would make one wait for the other.
create table search_word (
  word text collate "C" not null check (char_length(word) between 3 and 200),
  uses bigint not null default 0
);

insert into search_word (word, uses)
  select word, sum(ndoc) from (
    select word, ndoc from ts_stat($$select search_words(title || ' ' || tag_text || ' ' || content) from question$$)
    union all select word, ndoc from ts_stat('select search_words(content) from answer')
  ) found
  where char_length(word) between 3 and 200 group by word;
create index search_word_word on search_word (word);
create index search_word_used on search_word (uses desc, word);
create index search_word_parts on search_word using gin (word gin_trgm_ops);
analyze search_word;

create function learn_question_words() returns trigger language plpgsql as $$
begin
  insert into search_word (word)
    select distinct each.word
    from added, unnest(tsvector_to_array(search_words(title || ' ' || tag_text || ' ' || content))) as each (word)
    where char_length(each.word) between 3 and 200
      and not exists (select from search_word known where known.word = each.word);
  return null;
end $$;

create function learn_answer_words() returns trigger language plpgsql as $$
begin
  insert into search_word (word)
    select distinct each.word from added, unnest(tsvector_to_array(search_words(content))) as each (word)
    where char_length(each.word) between 3 and 200
      and not exists (select from search_word known where known.word = each.word);
  return null;
end $$;

create function learn_changed_words() returns trigger language plpgsql as $$
declare
  post jsonb := to_jsonb(new);
begin
  insert into search_word (word)
    select each.word
    from unnest(tsvector_to_array(search_words(
      concat_ws(' ', post ->> 'title', post ->> 'tag_text', post ->> 'content')
    ))) as each (word)
    where char_length(each.word) between 3 and 200
      and not exists (select from search_word known where known.word = each.word);
  return null;
end $$;

create trigger question_learned after insert on question
  referencing new table as added for each statement execute function learn_question_words();
create trigger answer_learned after insert on answer
  referencing new table as added for each statement execute function learn_answer_words();
create trigger question_learned_again after update on question
  for each row
  when (old.title <> new.title or old.tag_text <> new.tag_text or old.content <> new.content)
  execute function learn_changed_words();
create trigger answer_learned_again after update on answer
  for each row when (old.content <> new.content) execute function learn_changed_words();
