-- Which tags stand on hidden and deleted questions only (topics/queries.ts). The rows of such a question hold its tags.
create index hidden_tag on put_away_row ((row ->> 'name')) where part = 'tag';
