-- Writes that touch fewer index entries (docs/decisions/123-cheaper-writes.md).

-- A question is about 2 kB, and the 20 % of a page that were kept free had no room for its next version. The answer that
-- moved it to another page wrote all its indexes anew, also those of the search. Existing pages change as their
-- questions do.
alter table base_question set (fillfactor = 60);

-- An answer changes the time of its tags, which is indexed, and so wrote the trigrams of their names again. They are
-- collected in a list, which a search for tags reads as a whole: 64 kB at most.
alter index tag_trigrams set (fastupdate = on, gin_pending_list_limit = 64);

-- The words of new posts are in their search_vector already: exact words are labelled C, and signed names such as c++
-- have no position.
create or replace function add_question_search_words() returns trigger language plpgsql as $$
begin
  insert into search_word (word)
  select word from (
    select distinct lexeme as word from added, unnest(search_vector) where positions is null or 'C' = any (weights)
  ) each
  where char_length(word) between 3 and 200
    and (select known.word from search_word known where known.word = each.word limit 1) is null;
  return null;
end $$;
create or replace function add_answer_search_words() returns trigger language plpgsql as $$
begin
  insert into search_word (word)
  select word from (
    select distinct lexeme as word from added, unnest(search_vector) where positions is null or 'C' = any (weights)
  ) each
  where char_length(word) between 3 and 200
    and (select known.word from search_word known where known.word = each.word limit 1) is null;
  return null;
end $$;
