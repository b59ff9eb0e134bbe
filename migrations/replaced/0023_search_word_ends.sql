-- Words that end in what is typed, as the first of several words may be the end of one (docs/search.md).
create index search_word_end on search_word (reverse(word));
