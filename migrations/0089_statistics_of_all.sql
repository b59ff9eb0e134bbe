-- Every member and every tag has statistics from its first post on: no statement has ever set the mark to false.
drop index member_without_statistics;
drop index tag_without_statistics;
alter table member drop column has_statistics;
alter table tag drop column has_statistics;
