-- Statistics of the community for moderators, and searches without results (docs/decisions/074, 075).

create table community_statistics (
  unit text not null check (unit in ('day', 'week', 'month')),
  -- The first day, in UTC. Weeks start on Monday.
  start date not null,
  -- Questions asked in the period; of these, how many have an answer and an accepted answer by now.
  questions int not null,
  answered_questions int not null,
  solved_questions int not null,
  -- The median time from these questions to the first answer by another author; null without such an answer.
  first_answer_seconds bigint,
  answers int not null,
  -- Authors of questions, answers and replies.
  active_members int not null,
  new_members int not null,
  reports int not null,
  -- Reports that moderators closed in the period, and the median time they took.
  handled_reports int not null,
  handling_seconds bigint,
  moderation_actions int not null,
  primary key (unit, start)
);
comment on table community_statistics is
  'Activity of the community per day, week and month, without periods before the first one. A job counts it.';

create table community_tag_statistics (
  unit text not null check (unit in ('day', 'week', 'month')),
  start date not null,
  tag_id bigint not null references tag on delete cascade,
  questions int not null,
  answered_questions int not null,
  solved_questions int not null,
  first_answer_seconds bigint,
  answers int not null,
  primary key (tag_id, unit, start)
);
comment on table community_tag_statistics is 'The same per tag, for the latest periods. Periods without activity are left out.';
-- The tags of a period, those with the most questions first.
create index community_tag_statistics_period on community_tag_statistics (unit, start, questions desc, answers desc, tag_id desc);

create table stale_statistics_day (
  day date not null
);
comment on table stale_statistics_day is
  'Days whose posts or reports changed later, such as a question that got an answer. The job counts them again. No key: '
  'writes only add rows.';
create index stale_statistics_day_latest on stale_statistics_day (day);

create table empty_search (
  day date not null,
  -- In small letters, with single spaces.
  query text not null check (char_length(query) between 1 and 200),
  searches int not null,
  primary key (day, query)
);
comment on table empty_search is
  'How often a search found nothing, per day, for 90 days. It does not say who searched.';

-- What the job reads: the rows of a period.
create index reply_recent on base_reply (created_at) where hidden_by is null and deleted_at is null;
create index member_registered on member (created_at) where source_id is null;
create index report_created on report (created_at);
create index report_closed on report (closed_at) where closed_at is not null;
create index moderation_log_created on moderation_log (created_at);
