-- One ranking for search, search while typing, similar and related questions (docs/search.md, docs/decisions/044).
--
-- Two columns take the place of ten indexed expressions: title_vector has the words of title and tags, search_vector
-- all words. Both have each word twice, exact and as a stem, and their labels tell these apart. ts_rank weights labels.

drop index question_search, question_search_popular, question_search_most_popular,
  answer_search, answer_search_popular, answer_search_most_popular,
  question_title_trigrams, question_title_trigrams_popular, question_title_prefix,
  question_popularity, answer_popularity;
alter table question drop column search_vector;
alter table answer drop column search_vector;
drop function search_stems(text);

-- The exact words of a text, with positions. As search_words in 0001_schema.sql, which strips the positions.
create function search_exact(text text) returns tsvector language sql immutable parallel safe cost 10000
begin atomic
  select to_tsvector('simple', case when unspaced
      then regexp_replace(plain, '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+', ' ', 'g')
      else plain
    end)
    || case when unspaced then search_pairs(plain) else '' end
    || case when strpos(text, '+') > 0 or strpos(text, '#') > 0 then search_signed(left(text, 100000)) else '' end
  from (select search_plain(left(text, 100000)) as plain offset 0) as plain, lateral (
    -- A text of single bytes has no such characters, so that most texts need no regular expression.
    select octet_length(plain) > char_length(plain)
      and plain ~ '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]' as unspaced
    offset 0
  ) as written;
end;

create or replace function search_words(text text) returns tsvector language sql immutable parallel safe cost 10000
begin atomic
  select strip(search_exact(text));
end;

-- Stems come first, because ts_rank counts the positions of a word less and less: repeated words count by their stems.
create function search_labelled(text text, exact "char", stem "char") returns tsvector
language sql immutable parallel safe cost 10000
begin atomic
  select setweight(search_parsed(text), stem) || setweight(search_exact(text), exact);
end;

alter table question
  -- A: words of the title, B: their stems, C: words of the tags, D: their stems.
  add column title_vector tsvector generated always as (
    search_labelled(left(title, 1000), 'A', 'B') || search_labelled(tag_text, 'C', 'D')
  ) stored,
  -- C: words, D: stems.
  add column search_vector tsvector generated always as (
    search_labelled(title || ' ' || tag_text || ' ' || content, 'C', 'D')
  ) stored,
  -- A word is weighted by its rarity, from the statistics of PostgreSQL: 500 covers the 5,000 most common words.
  alter column search_vector set statistics 500;
alter table answer
  add column search_vector tsvector generated always as (search_labelled(content, 'C', 'D')) stored;

-- 0: the most popular, a few thousand, from which a search for frequent words takes its results; 2: all others.
update question set popularity = 2 where popularity = 1;
update answer set popularity = 2 where popularity = 1;
create index question_popular on question (id) where popularity = 0;
create index answer_popular on answer (id) where popularity = 0;

create index question_search on question using gin (title_vector, search_vector) with (fastupdate = off);
create index question_search_popular on question using gin (title_vector, search_vector) with (fastupdate = off)
  where popularity = 0;
create index answer_search on answer using gin (search_vector) with (fastupdate = off);
create index answer_search_popular on answer using gin (search_vector) with (fastupdate = off) where popularity = 0;
