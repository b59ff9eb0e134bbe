-- The schema of Parley, by area:
--
--   1. Core             settings, events, rate limits, heartbeats of nodes
--   2. Text search      the functions that turn text into words; generated columns of posts use them
--   3. Import           archives of other sites and what their rows became
--   4. Identity         members, sessions, sign-in, registrations, account deletion
--   5. Posts            tags, questions, answers, replies, revisions, drafts
--   6. Engagement       votes, views, follows, bookmarks, mutes
--   7. Discovery        sort keys of lists, search indexes, statistics
--   8. Notifications    notifications, preferences, email, web push
--   9. Moderation       reports, hidden posts, removal of activity, messages, the log
--  10. Operations       backups
--
-- This file is never changed once a release has it: later changes are files of their own, 0002_… and so on.
--
-- Rules for every table:
-- - Times are timestamptz(3). Milliseconds are what JavaScript knows, so that a cursor made from a time is exact.
-- - Counts are stored on the row they belong to and change in the transaction that changes what they count.
-- - GIN indexes have fastupdate = off. Otherwise PostgreSQL collects new entries in a list that each search reads whole.
-- - fillfactor below 100 leaves room for the next version of a row on its page, so that an update of columns without
--   an index touches no index (HOT).

-- For indexes that find parts of words and words with typing errors.
create extension if not exists pg_trgm;


-- ---------------------------------------------------------------------------------------------------------------------
-- 1. Core
-- ---------------------------------------------------------------------------------------------------------------------

create table setting (
  name text primary key,
  value text not null
);
comment on table setting is
  'Values that all nodes of a community share, such as the secret that signs session cookies.';

create table event (
  -- Assigned while the post it is about is locked, so that for one post it follows the order of commits.
  id bigint generated always as identity,
  transaction_id xid8 not null default pg_current_xact_id(),
  -- The channel it is published to, such as 'question:7'.
  topic text not null,
  event jsonb not null,
  -- The time of writing, not of the beginning of the transaction: events of a long one would be pruned too early.
  created_at timestamptz(3) not null default clock_timestamp(),
  -- Every node reads the stream in this order; old events are pruned from its beginning.
  primary key (transaction_id, id)
);
comment on table event is
  'Outbox of domain events, written in the transaction that causes them and read by every node in commit order.';
-- Events of one topic after a position, for a client that reconnects.
create index event_topic on event (topic, transaction_id, id);

create unlogged table rate_limit (
  key varchar(255) primary key,
  points integer not null default 0,
  -- Milliseconds since 1970.
  expire bigint
) with (fillfactor = 50);
comment on table rate_limit is
  'Counters of rate limits that all nodes share. Unlogged: a crash may empty it.';
-- Cleanup of expired counters.
create index rate_limit_expiry on rate_limit (expire);

create table node_heartbeat (
  node uuid primary key,
  counter integer not null,
  sent_at timestamptz(3) not null default now()
) with (fillfactor = 50);
comment on table node_heartbeat is
  'The latest heartbeat of each node. Its age on a replica is the replication lag. Empty without replicas.';


-- ---------------------------------------------------------------------------------------------------------------------
-- 2. Text search: functions (docs/search.md, docs/decisions/026)
-- ---------------------------------------------------------------------------------------------------------------------

-- Punctuation becomes spaces and capitals become small letters. Characters are named by code point, so that the result
-- is the same under every locale.
create function search_plain(text text) returns text language sql immutable parallel safe as $$
  select regexp_replace(
    lower(text),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u206f\u2190-\u2bff\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]+',
    ' ', 'g'
  )
$$;

-- The single characters and pairs of text that is written without spaces, such as Chinese and Japanese.
create function search_pairs(text text) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(coalesce(array_agg(distinct key), '{}')) from (
    select unnest(array[sign, sign || lead(sign) over (partition by run order by position)]) as key from (
      select run, sign, position
      from regexp_matches(text, '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+', 'g')
        with ordinality as found (signs, run),
        lateral string_to_table(signs[1], null) with ordinality as each (sign, position)
    ) sign
  ) pair where key is not null
$$;

-- Names such as c++ and c#, with their signs.
create function search_signed(text text) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(array(
    select distinct left(name[1], 200) from regexp_matches(lower(text), '[[:alnum:]]+[+#]+', 'g') as name
  ))
$$;

-- The exact words of a text, each once and without positions. The body is parsed at creation ('begin atomic'):
-- PostgreSQL builds indexes and takes statistics without the search_path of a connection.
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
    -- A text of single bytes has no such characters, so that most texts need no regular expression.
    select octet_length(plain) > char_length(plain)
      and plain ~ '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]' as unspaced
    offset 0
  ) as written;
end;

-- The English word stems of a text, with positions. PostgreSQL's parser takes time that grows with the square of a run
-- of characters without a space, and of comments that begin with '<!'. It gets runs of at most 50 characters and no
-- beginnings of comments (docs/decisions/036).
create function search_parsed(text text) returns tsvector language sql immutable parallel safe cost 10000
begin atomic
  select to_tsvector('english', regexp_replace(
    replace(left(text, 100000), '<!', '< '), '([\u0021-\u007e]{50})', '\1 ', 'g'
  ));
end;

-- The English word stems of a short text, without positions.
create function search_stems(text text) returns tsvector language sql immutable parallel safe cost 10000
begin atomic
  select strip(search_parsed(left(text, 1000)));
end;


-- ---------------------------------------------------------------------------------------------------------------------
-- 3. Import
-- ---------------------------------------------------------------------------------------------------------------------

create table import_source (
  id bigint generated always as identity primary key,
  -- The site that the archive is from, such as 'alcohol.stackexchange.com'.
  site text not null unique,
  -- Names that the site had before.
  former_sites text[] not null default '{}',
  license text not null,
  imported_at timestamptz(3) not null default now()
);
comment on table import_source is 'The sites whose archives were imported.';

create table imported_row (
  source_id bigint not null references import_source,
  kind text not null check (kind in ('member', 'question', 'answer', 'reply')),
  -- The number in the archive.
  source_key text not null,
  -- The id in this database. No foreign key, since the row may be hidden or deleted.
  id bigint not null,
  -- As in the archive: they show whether two archives hold the same post, and whether it was edited there since.
  created_at timestamptz(3) not null,
  edited_at timestamptz(3),
  primary key (source_id, kind, source_key)
);
comment on table imported_row is
  'The member or post that each row of an archive became. Rows are never deleted: a hidden or deleted post is not '
  'imported again, and gets its own id back when a moderator restores it (docs/decisions/040).';


-- ---------------------------------------------------------------------------------------------------------------------
-- 4. Identity
-- ---------------------------------------------------------------------------------------------------------------------

create table member (
  id bigint generated by default as identity primary key,
  display_name text check (char_length(display_name) >= 1),
  -- Null for imported members, who cannot sign in and get no email.
  email text unique check (email = lower(btrim(email))),
  email_verified boolean not null default false,
  -- Whether other members see the email address on the profile.
  show_email boolean not null default true,
  image text,
  bio text check (char_length(bio) <= 100000),
  role text not null default 'member' check (role in ('member', 'moderator')),
  suspended_until timestamptz(3),
  suspension_reason text check (char_length(suspension_reason) <= 500),
  -- Points from the votes of others plus imported reputation. Shown as 0 where it is negative.
  reputation bigint not null default 0,
  imported_reputation bigint not null default 0,
  questions_count bigint not null default 0 check (questions_count >= 0),
  answers_count bigint not null default 0 check (answers_count >= 0),
  -- False until a job has built the statistics of the member from existing rows; until then, reads count those rows.
  has_statistics boolean not null default true,
  source_id bigint references import_source,
  source_key text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- When the account was deleted. The name and address are gone from then on; see account_deletion for the rest.
  deleted_at timestamptz(3),
  unique (source_id, source_key),
  check (source_id is null or email is null),
  check ((source_id is null) = (source_key is null)),
  check (display_name is not null or email is not null),
  -- Imported members cannot sign in.
  constraint member_moderator_can_sign_in check (role = 'member' or email is not null),
  constraint member_suspension_has_reason check ((suspended_until is null) = (suspension_reason is null))
) with (fillfactor = 80);
comment on table member is 'People with an account, and the authors of imported posts.';
-- Search for members by parts of their names, and with typing errors.
create index member_name_trigrams on member using gin (display_name gin_trgm_ops) with (fastupdate = off);
-- Search by one or two letters, which trigrams cannot find. Imported names can be longer than an index entry.
create index member_name_prefix on member (lower(left(display_name, 80)) text_pattern_ops);
-- The names suggested for a mention, by their beginning; only members who can sign in.
create index member_mention_prefix on member (lower(display_name) collate "C", id) where email is not null;
-- The list of moderators.
create index member_moderator on member (id) where role = 'moderator';
-- The job that builds missing statistics.
create index member_without_statistics on member (id) where not has_statistics;

create table session (
  id bigint generated by default as identity primary key,
  member_id bigint not null references member on delete cascade,
  token text not null unique,
  expires_at timestamptz(3) not null,
  ip_address text,
  user_agent text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- For the foreign key of push_subscription.
  unique (id, member_id)
);
comment on table session is 'Signed-in browsers and apps, in the shape that better-auth expects.';
-- The sessions of a member, the latest first.
create index session_latest on session (member_id, created_at desc);
-- Cleanup of expired sessions.
create index session_expiry on session (expires_at);

create table account (
  id bigint generated by default as identity primary key,
  member_id bigint not null references member on delete cascade,
  account_id text not null,
  -- 'credential' for a password, else the address of the identity provider.
  provider_id text not null,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz(3),
  refresh_token_expires_at timestamptz(3),
  scope text,
  -- The hash of the password.
  password text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (provider_id, account_id)
);
comment on table account is
  'Sign-in methods of members: a password or an account at an identity provider, in the shape that better-auth '
  'expects.';
-- The sign-in methods of a member.
create index account_member on account (member_id);

create table verification (
  id bigint generated by default as identity primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
comment on table verification is 'One-time tokens, in the shape that better-auth expects.';
-- A token by its identifier.
create index verification_identifier on verification (identifier);

create table two_factor (
  member_id bigint primary key references member on delete cascade,
  -- The key shared with the authenticator app, encrypted with the secret of the community.
  encrypted_key text not null,
  -- The period of 30 seconds whose code was accepted last: no code of it or of an earlier one is accepted again
  -- (RFC 6238 section 5.2).
  last_period bigint not null default 0,
  created_at timestamptz(3) not null default now()
);
comment on table two_factor is 'Members who use two-factor authentication, with the key of their authenticator app.';

create table recovery_code (
  member_id bigint not null references two_factor on delete cascade,
  -- The first digit of the code, so that checking a code computes one hash instead of ten.
  first_digit smallint not null check (first_digit between 0 and 9),
  hash text not null,
  primary key (member_id, first_digit)
);
comment on table recovery_code is 'Unused recovery codes for two-factor authentication, as hashes.';

create table passkey (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  name text not null check (char_length(name) between 1 and 80),
  credential_id text not null unique,
  public_key bytea not null,
  -- Identifies the member to the authenticator: random, the same for all passkeys of a member.
  user_handle text not null,
  counter bigint not null check (counter >= 0),
  transports text[] not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3)
);
comment on table passkey is 'Passkeys (WebAuthn credentials) of members.';
-- The passkeys of a member.
create index passkey_member on passkey (member_id);

create table used_nonce (
  key text primary key,
  expires_at timestamptz(3) not null
);
comment on table used_nonce is 'Values that are accepted once, such as the answer to a challenge, until they expire.';
-- Cleanup.
create index used_nonce_expiry on used_nonce (expires_at);

create table email_link (
  -- SHA-256 of the token, which only the email holds.
  hash bytea primary key check (octet_length(hash) = 32),
  member_id bigint not null references member on delete cascade,
  -- reset_password: sets a new password. change_email: makes `email` the address of the member. revert_email: restores
  -- `email` as the address.
  purpose text not null check (purpose in ('reset_password', 'change_email', 'revert_email')),
  -- Where the link is sent; null where the operator hands it over.
  email text check (email = lower(btrim(email))),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  check (purpose = 'reset_password' or email is not null)
);
comment on table email_link is
  'Links that reset a password or change an email address, as hashes of their one-time tokens.';
-- The pending tokens of a member.
create index email_link_member on email_link (member_id);
-- Cleanup of expired tokens.
create index email_link_age on email_link (expires_at);
-- Whether an address is reserved: while its former owner can restore it, no other member can take it.
create index email_link_reserved_email on email_link (email) where purpose = 'revert_email';

create table security_event (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  event text not null check (char_length(event) between 1 and 60),
  -- The address that an email about it is still to be sent to; null once it is sent.
  notify_email text,
  created_at timestamptz(3) not null default now()
);
comment on table security_event is 'Changes to the security of accounts, such as a new password.';
-- The security events of a member, the latest first.
create index security_event_member on security_event (member_id, id desc);
-- The job that sends emails about them.
create index security_event_unsent on security_event (id) where notify_email is not null;
-- Cleanup.
create index security_event_age on security_event (created_at);

create table registration (
  member_id bigint primary key references member on delete cascade,
  -- An IPv4 address or an IPv6 /48 network. Null once it is older than 30 days.
  network text,
  registered_at timestamptz(3) not null default now(),
  -- What the account needs before it can post: a confirmed email address or the approval of a moderator.
  pending_step text check (pending_step in ('confirmation', 'moderator'))
);
comment on table registration is
  'From which network members registered, and which accounts are pending (docs/decisions/039).';
-- The list of pending accounts.
create index registration_pending on registration (member_id) where pending_step is not null;
-- How many accounts were registered from a network lately.
create index registration_network on registration (network, registered_at) where network is not null;
-- Cleanup.
create index registration_age on registration (registered_at);

create table account_deletion (
  member_id bigint primary key references member,
  -- Whether the posts of the member are kept or deleted as well.
  posts text not null check (posts in ('keep', 'delete')),
  started_at timestamptz(3) not null default now()
);
comment on table account_deletion is 'Account deletions in progress: a job deletes the rows of the member in batches.';

create table member_last_write (
  member_id bigint primary key references member on delete cascade,
  lsn pg_lsn not null
) with (fillfactor = 50);
comment on table member_last_write is
  'The WAL position after the last write of each member. A replica that has not replayed it does not serve their '
  'reads. Empty without replicas.';


-- ---------------------------------------------------------------------------------------------------------------------
-- 5. Posts
-- ---------------------------------------------------------------------------------------------------------------------

create table tag (
  id bigint generated always as identity primary key,
  -- As first written.
  name text not null check (char_length(name) between 1 and 35),
  -- The name without case: tags with the same key are the same.
  key text not null unique check (char_length(key) between 1 and 70),
  questions_count bigint not null default 0 check (questions_count >= 0),
  followers_count bigint not null default 0 check (followers_count >= 0),
  -- The time of the latest question or answer with the tag; null without any.
  active_at timestamptz(3),
  -- As in member.
  has_statistics boolean not null default true
);
comment on table tag is 'Tags of questions, shown as topics.';
-- The page of topics, in its three orders. Both keys of an index run in one direction, so that a cursor is one range.
create index tag_popular on tag (questions_count desc, id desc) where questions_count > 0;
create index tag_active on tag (active_at desc nulls last, id desc) where questions_count > 0;
create index tag_alphabetical on tag (key, id) where questions_count > 0;
-- Search for tags by parts of their names.
create index tag_trigrams on tag using gin (key gin_trgm_ops) with (fastupdate = off);
-- The job that builds missing statistics.
create index tag_without_statistics on tag (id) where not has_statistics;

create table question (
  id bigint generated always as identity primary key,
  -- Null only for imported posts whose author has no account in the archive; then imported_author_name is set.
  author_id bigint references member,
  imported_author_name text,
  title text not null check (char_length(title) >= 1),
  content text not null check (char_length(content) >= 1),
  -- The first 200 characters of the content without Markdown, for cards.
  excerpt text not null check (char_length(excerpt) <= 200),
  excerpt_cut boolean not null,
  upvotes bigint not null default 0,
  downvotes bigint not null default 0,
  views bigint not null default 0,
  answer_count bigint not null default 0 check (answer_count >= 0),
  -- Counts that have no rows, as part of the counts above: those of an archive, and views of deleted accounts.
  imported_upvotes bigint not null default 0 check (imported_upvotes >= 0),
  imported_downvotes bigint not null default 0 check (imported_downvotes >= 0),
  imported_views bigint not null default 0 check (imported_views >= 0),
  -- Its foreign key follows the table answer.
  accepted_answer_id bigint,
  -- Why a moderator locked the question; null where it is not locked.
  lock_reason text check (char_length(lock_reason) between 1 and 500),
  -- The older question that this one duplicates.
  duplicate_of bigint references question on delete set null check (duplicate_of <> id),
  source_id bigint references import_source,
  source_key text,
  source_license text,
  created_at timestamptz(3) not null default now(),
  edited_at timestamptz(3),
  -- The time of the latest answer, reply or edit, or of the question itself.
  active_at timestamptz(3) not null default now(),
  -- The names of the tags, for search_vector. Written with the question; the triggers of question_tag keep it right.
  tag_text text not null default '',
  search_vector tsvector generated always as (
    setweight(search_parsed(left(title, 1000)), 'A')
    || setweight(search_parsed(tag_text), 'B')
    || setweight(search_parsed(content), 'D')
  ) stored,
  -- 0: the most popular, a few thousand; 1: some ten thousand more; 2: all others. A job sets it.
  popularity smallint not null default 2 check (popularity between 0 and 2),
  -- For the foreign keys of the tables that repeat the time of the question.
  unique (id, created_at),
  unique (source_id, source_key),
  check ((source_id is null) = (source_key is null)),
  check (author_id is not null or imported_author_name is not null),
  check (upvotes >= imported_upvotes),
  check (downvotes >= imported_downvotes),
  check (views >= imported_views)
) with (fillfactor = 80);
comment on table question is 'Questions.';
-- Similar questions weigh a word by its rarity, from the statistics of PostgreSQL: 500 covers the 5,000 most common
-- words instead of 1,000.
alter table question alter column search_vector set statistics 500;
-- The feed of recent questions.
create index question_recent on question (created_at desc, id desc);
-- The questions of a member, the latest first.
create index question_author on question (author_id, created_at desc, id desc);
-- The foreign key from an answer that is deleted.
create index question_accepted on question (accepted_answer_id) where accepted_answer_id is not null;
-- The duplicates of a question.
create index question_duplicate on question (duplicate_of) where duplicate_of is not null;
-- The job that sets the popularity.
create index question_popularity on question (popularity, id) where popularity <= 1;

create table question_tag (
  question_id bigint not null references question on delete cascade,
  tag_id bigint not null references tag,
  -- The order in which the author wrote the tags.
  position smallint not null check (position between 0 and 4),
  -- A copy of the time of the question, for the index below.
  question_created_at timestamptz(3) not null,
  primary key (question_id, position),
  unique (question_id, tag_id),
  foreign key (question_id, question_created_at) references question (id, created_at) on delete cascade
);
comment on table question_tag is 'The tags of each question.';
-- The questions with a tag, the latest first.
create index question_tag_newest on question_tag (tag_id, question_created_at desc, question_id desc);

-- Updates question.tag_text where it differs: a question that is inserted with the names of its tags is not written
-- twice.
create function copy_tags_to_question() returns trigger language plpgsql as $$
begin
  update question
  set tag_text = tags.names
  from (
    select tagged.id, coalesce((
      select string_agg(tag.name, ', ' order by question_tag.position)
      from question_tag join tag on tag.id = question_tag.tag_id
      where question_tag.question_id = tagged.id
    ), '') as names
    from (select distinct question_id as id from changed) tagged
  ) tags
  where question.id = tags.id and question.tag_text <> tags.names;
  return null;
end $$;
-- Reason: question.search_vector is a generated column and can read columns of its own row only.
create trigger question_tag_added after insert on question_tag
  referencing new table as changed for each statement execute function copy_tags_to_question();
create trigger question_tag_removed after delete on question_tag
  referencing old table as changed for each statement execute function copy_tags_to_question();

create table answer (
  id bigint generated always as identity primary key,
  question_id bigint not null references question on delete cascade,
  -- Null as in question.
  author_id bigint references member,
  imported_author_name text,
  content text not null check (char_length(content) >= 1),
  upvotes bigint not null default 0,
  downvotes bigint not null default 0,
  imported_upvotes bigint not null default 0 check (imported_upvotes >= 0),
  imported_downvotes bigint not null default 0 check (imported_downvotes >= 0),
  source_id bigint references import_source,
  source_key text,
  source_license text,
  created_at timestamptz(3) not null default now(),
  edited_at timestamptz(3),
  search_vector tsvector generated always as (search_parsed(content)) stored,
  -- As in question.
  popularity smallint not null default 2 check (popularity between 0 and 2),
  -- For the foreign keys that require an answer of the same question.
  unique (id, question_id),
  unique (source_id, source_key),
  check ((source_id is null) = (source_key is null)),
  check (author_id is not null or imported_author_name is not null),
  check (upvotes >= imported_upvotes),
  check (downvotes >= imported_downvotes)
) with (fillfactor = 80);
comment on table answer is 'Answers to questions.';
-- The answers to a question, the latest first.
create index answer_question on answer (question_id, created_at desc, id desc);
-- The answers of a member, the latest first.
create index answer_author on answer (author_id, created_at desc, id desc);
-- Search by is:answer alone or with a date.
create index answer_recent on answer (created_at desc, id desc);
-- The job that sets the popularity.
create index answer_popularity on answer (popularity, id) where popularity <= 1;

-- The accepted answer answers this question.
alter table question
  add constraint question_accepted_answer
  foreign key (accepted_answer_id, id) references answer (id, question_id)
  on delete set null (accepted_answer_id)
  deferrable initially deferred;

create table reply (
  id bigint generated always as identity primary key,
  question_id bigint not null references question on delete cascade,
  -- Null for a reply to the question itself.
  answer_id bigint,
  parent_reply_id bigint,
  level smallint not null check (level between 0 and 3),
  -- Null as in question.
  author_id bigint references member,
  imported_author_name text,
  -- Empty once deleted: the row stays while it has replies.
  content text not null,
  deleted_at timestamptz(3),
  upvotes bigint not null default 0,
  downvotes bigint not null default 0,
  imported_upvotes bigint not null default 0 check (imported_upvotes >= 0),
  imported_downvotes bigint not null default 0 check (imported_downvotes >= 0),
  source_id bigint references import_source,
  source_key text,
  source_license text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  edited_at timestamptz(3),
  -- With these two, the foreign key below requires a parent on the same answer, or the same question, one level up.
  answer_key bigint generated always as (coalesce(answer_id, 0)) stored,
  parent_level smallint generated always as (level - 1) stored,
  unique (id, question_id, answer_key, level),
  unique (source_id, source_key),
  foreign key (answer_id, question_id) references answer (id, question_id) on delete cascade,
  foreign key (parent_reply_id, question_id, answer_key, parent_level)
    references reply (id, question_id, answer_key, level),
  check ((parent_reply_id is null) = (level = 0)),
  check ((content = '') = (deleted_at is not null)),
  check ((source_id is null) = (source_key is null)),
  check (author_id is not null or imported_author_name is not null),
  check (upvotes >= imported_upvotes),
  check (downvotes >= imported_downvotes)
) with (fillfactor = 85);
comment on table reply is
  'Replies to answers, to other replies and to questions (these are called comments in the interface).';
-- The replies to an answer.
create index reply_answer on reply (answer_id, id) where answer_id is not null;
-- All replies of a question page.
create index reply_question on reply (question_id, id);
-- The replies to a question itself.
create index reply_to_question on reply (question_id, id) where answer_id is null;
-- The replies to a reply.
create index reply_parent on reply (parent_reply_id) where parent_reply_id is not null;
-- The replies of a member, the latest first.
create index reply_author on reply (author_id, id desc);
-- How many replies a member wrote on each day of a year.
create index reply_author_time on reply (author_id, created_at) where deleted_at is null;

create table revision (
  id bigint generated always as identity primary key,
  question_id bigint references question on delete cascade,
  answer_id bigint references answer on delete cascade,
  reply_id bigint references reply on delete cascade,
  -- 1 is the first version. Of a post with more than 100 versions, the first and the latest are stored.
  number bigint not null check (number > 0),
  title text,
  content text not null,
  tags text[],
  -- When this version was written.
  created_at timestamptz(3) not null,
  -- When an edit replaced it. Edits within five minutes of this time become one version with that edit.
  replaced_at timestamptz(3),
  check (num_nonnulls(question_id, answer_id, reply_id) = 1),
  check ((question_id is null) = (title is null)),
  check ((question_id is null) = (tags is null))
);
comment on table revision is 'The versions of a post before its edits. The current version is the post itself.';
-- The versions of a post, in order.
create unique index revision_question on revision (question_id, number) where question_id is not null;
create unique index revision_answer on revision (answer_id, number) where answer_id is not null;
create unique index revision_reply on revision (reply_id, number) where reply_id is not null;

create sequence draft_version;
create table draft (
  member_id bigint not null references member on delete cascade,
  -- What the text is for, such as 'ask', 'answer:7' (to question 7) or 'edit:reply:3'.
  target text not null check (char_length(target) between 1 and 60),
  -- Never the same twice, not even after the row was deleted.
  version bigint not null default nextval('draft_version'),
  -- The idempotency key of the post that it becomes.
  idempotency_key text not null check (char_length(idempotency_key) between 8 and 100),
  -- Null once the draft has ended.
  fields jsonb check (octet_length(fields::text) <= 262144),
  -- How it ended. The row stays for a while, so that a browser that still has the text does not restore it.
  ended text check (ended in ('posted', 'discarded')),
  -- SHA-256 of the text that was posted.
  posted_hash bytea,
  -- The browser that wrote this version, and the number of its change.
  client_id text,
  sequence bigint,
  updated_at timestamptz(3) not null default now(),
  primary key (member_id, target),
  check ((fields is null) = (ended is not null)),
  check ((posted_hash is null) = (ended is distinct from 'posted'))
) with (fillfactor = 70);
alter sequence draft_version owned by draft.version;
comment on table draft is 'Unposted texts of members, one per target.';

create table idempotency_key (
  member_id bigint not null references member on delete cascade,
  key text not null check (char_length(key) between 1 and 100),
  -- SHA-256 of the request, to refuse a key that is used for another request.
  request_hash bytea not null,
  -- The post that was created.
  post_id bigint,
  created_at timestamptz(3) not null default now(),
  primary key (member_id, key)
);
comment on table idempotency_key is
  'The keys of requests that created a post: a retry with the same key creates nothing.';
-- Cleanup.
create index idempotency_key_age on idempotency_key (created_at);


-- ---------------------------------------------------------------------------------------------------------------------
-- 6. Engagement
-- ---------------------------------------------------------------------------------------------------------------------

create table vote (
  member_id bigint not null references member,
  question_id bigint references question on delete cascade,
  answer_id bigint references answer on delete cascade,
  reply_id bigint references reply on delete cascade,
  direction text not null check (direction in ('up', 'down')),
  created_at timestamptz(3) not null default now(),
  check (num_nonnulls(question_id, answer_id, reply_id) = 1)
);
comment on table vote is 'Votes of members, each on one post. Imported votes have no rows.';
-- One vote per member and post; the votes on a post, and the viewer's own.
create unique index vote_question on vote (question_id, member_id) where question_id is not null;
create unique index vote_answer on vote (answer_id, member_id) where answer_id is not null;
create unique index vote_reply on vote (reply_id, member_id) where reply_id is not null;
-- The votes of a member: data export and removal of all activity.
create index vote_member on vote (member_id);

create table question_view (
  question_id bigint not null references question on delete cascade,
  member_id bigint not null references member,
  viewed_at timestamptz(3) not null default now(),
  -- The latest visit after the first; null without one.
  visited_at timestamptz(3) check (visited_at >= viewed_at),
  primary key (question_id, member_id)
) with (fillfactor = 85);
comment on table question_view is
  'Which members viewed a question, and when they last visited it. Each member counts as one view.';
-- The views of a member: data export and account deletion.
create index question_view_member on question_view (member_id);

create table question_follow (
  question_id bigint not null references question on delete cascade,
  member_id bigint not null references member,
  created_at timestamptz(3) not null default now(),
  -- A copy of the time of the question, for the index below.
  question_created_at timestamptz(3) not null,
  primary key (question_id, member_id),
  foreign key (question_id, question_created_at) references question (id, created_at) on delete cascade
);
comment on table question_follow is 'Questions that members follow.';
-- The questions that a member follows, the latest followed first.
create index question_follow_latest on question_follow (member_id, created_at desc, question_id desc);
-- The feed of followed questions, the newest question first.
create index question_follow_newest on question_follow (member_id, question_created_at desc, question_id desc);

create function set_question_follow_time() returns trigger language plpgsql as $$
begin
  new.question_created_at := (select created_at from question where id = new.question_id);
  return new;
end $$;
-- Reason: inserts need not know the time of the question.
create trigger question_follow_time before insert on question_follow
  for each row when (new.question_created_at is null) execute function set_question_follow_time();

create table tag_follow (
  tag_id bigint not null references tag,
  member_id bigint not null references member,
  created_at timestamptz(3) not null default now(),
  primary key (tag_id, member_id)
);
comment on table tag_follow is 'Tags that members follow.';
-- The tags that a member follows, the latest followed first.
create index tag_follow_latest on tag_follow (member_id, created_at desc, tag_id desc);

create function count_tag_follows() returns trigger language plpgsql as $$
begin
  update tag set followers_count = followers_count + changed.by
  from (
    select tag_id, count(*) * case tg_op when 'INSERT' then 1 else -1 end as by from changed group by tag_id
  ) changed
  where tag.id = changed.tag_id;
  return null;
end $$;
-- Reason: tag.followers_count equals the rows, whichever statement changes them. The caller locks the tag first.
create trigger tag_follow_added after insert on tag_follow
  referencing new table as changed for each statement execute function count_tag_follows();
create trigger tag_follow_removed after delete on tag_follow
  referencing old table as changed for each statement execute function count_tag_follows();

create table bookmark (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  -- The bookmarked question, or the one whose answer is bookmarked.
  question_id bigint not null references question on delete cascade,
  -- Null for a bookmark of the question itself.
  answer_id bigint,
  note text not null default '' check (char_length(note) <= 500),
  created_at timestamptz(3) not null default now(),
  -- For the foreign key of bookmark_list_item.
  unique (id, member_id),
  foreign key (answer_id, question_id) references answer (id, question_id) on delete cascade
);
comment on table bookmark is 'Questions and answers that members saved.';
-- One bookmark per member and post; whether the viewer saved a post.
create unique index bookmark_question on bookmark (question_id, member_id) where answer_id is null;
create unique index bookmark_answer on bookmark (answer_id, member_id) where answer_id is not null;
-- The bookmarks of a member, the latest first.
create index bookmark_newest on bookmark (member_id, created_at desc, id desc);
-- The bookmarks of a question and its answers, for the page and the cascade.
create index bookmark_thread on bookmark (question_id);

create table bookmark_list (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  name text not null check (char_length(name) between 1 and 60),
  -- The name without case: lists of a member with the same key are the same.
  key text not null check (char_length(key) between 1 and 240),
  created_at timestamptz(3) not null default now(),
  unique (member_id, key),
  -- For the foreign key of bookmark_list_item.
  unique (id, member_id)
);
comment on table bookmark_list is 'Named lists of bookmarks.';

create table bookmark_list_item (
  list_id bigint not null,
  bookmark_id bigint not null,
  -- The foreign keys with it require that the list and the bookmark belong to the same member.
  member_id bigint not null,
  primary key (list_id, bookmark_id),
  foreign key (list_id, member_id) references bookmark_list (id, member_id) on delete cascade,
  foreign key (bookmark_id, member_id) references bookmark (id, member_id) on delete cascade
);
comment on table bookmark_list_item is 'Which bookmarks are in which lists.';
-- The lists of a bookmark.
create index bookmark_list_item_bookmark on bookmark_list_item (bookmark_id);

create table question_mute (
  question_id bigint not null references question on delete cascade,
  member_id bigint not null references member on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (question_id, member_id)
);
comment on table question_mute is 'Questions that members muted: nothing on them notifies the member.';
-- The questions that a member muted, the latest first.
create index question_mute_member on question_mute (member_id, created_at desc, question_id desc);

create table tag_mute (
  tag_id bigint not null references tag,
  member_id bigint not null references member on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (member_id, tag_id)
);
comment on table tag_mute is 'Tags that members muted: their feeds leave out questions with the tag.';


-- ---------------------------------------------------------------------------------------------------------------------
-- 7. Discovery: sort keys of lists
-- ---------------------------------------------------------------------------------------------------------------------

create table question_sort_key (
  question_id bigint primary key references question on delete cascade,
  created_at timestamptz(3) not null,
  active_at timestamptz(3) not null,
  upvotes bigint not null,
  answer_count bigint not null
) with (fillfactor = 90);
comment on table question_sort_key is
  'What lists of questions are sorted by: a copy of columns of question. Indexes on the question itself would make '
  'every vote, answer and reply write its search indexes again.';
-- The feed of popular questions.
create index question_sort_key_popular on question_sort_key (upvotes desc, question_id desc);
-- The feed of unanswered questions, the latest first.
create index question_sort_key_unanswered on question_sort_key (created_at desc, question_id desc)
  where answer_count = 0;
-- The feed of active questions.
create index question_sort_key_active on question_sort_key (active_at desc, question_id desc);
-- Search by answers:3.. and answers:0.
create index question_sort_key_answers on question_sort_key (answer_count, created_at desc, question_id desc);

create function insert_question_sort_key() returns trigger language plpgsql as $$
begin
  insert into question_sort_key (question_id, created_at, active_at, upvotes, answer_count)
    select id, created_at, active_at, upvotes, answer_count from added;
  return null;
end $$;
create function update_question_sort_key() returns trigger language plpgsql as $$
begin
  update question_sort_key
  set created_at = new.created_at, active_at = new.active_at, upvotes = new.upvotes, answer_count = new.answer_count
  where question_id = new.id;
  return null;
end $$;
-- Reason: the copy equals the question, whichever statement changes it.
create trigger question_sort_key_insert after insert on question
  referencing new table as added for each statement execute function insert_question_sort_key();
create trigger question_sort_key_update after update on question
  for each row
  when (old.upvotes <> new.upvotes or old.answer_count <> new.answer_count
    or old.active_at <> new.active_at or old.created_at <> new.created_at)
  execute function update_question_sort_key();

create table answer_score (
  answer_id bigint primary key,
  question_id bigint not null,
  -- Upvotes less downvotes.
  score bigint not null,
  created_at timestamptz(3) not null,
  foreign key (answer_id, question_id) references answer (id, question_id) on delete cascade
) with (fillfactor = 90);
comment on table answer_score is
  'What answers are sorted by: a copy of columns of answer, for the same reason as question_sort_key.';
-- The answers to a question, the highest score first.
create index answer_score_highest on answer_score (question_id, score desc, created_at desc, answer_id desc);

create function insert_answer_score() returns trigger language plpgsql as $$
begin
  insert into answer_score (answer_id, question_id, score, created_at)
    select id, question_id, upvotes - downvotes, created_at from added;
  return null;
end $$;
create function update_answer_score() returns trigger language plpgsql as $$
begin
  update answer_score set score = new.upvotes - new.downvotes, created_at = new.created_at
  where answer_id = new.id;
  return null;
end $$;
-- Reason: as for question_sort_key.
create trigger answer_score_insert after insert on answer
  referencing new table as added for each statement execute function insert_answer_score();
create trigger answer_score_update after update on answer
  for each row
  when (old.upvotes - old.downvotes <> new.upvotes - new.downvotes or old.created_at <> new.created_at)
  execute function update_answer_score();

create table tag_question_sort_key (
  question_id bigint not null,
  tag_id bigint not null,
  active_at timestamptz(3) not null,
  primary key (question_id, tag_id),
  foreign key (question_id, tag_id) references question_tag (question_id, tag_id) on delete cascade
) with (fillfactor = 80);
comment on table tag_question_sort_key is
  'Questions that were active in the last 8 days, for each of their tags. A job deletes older rows.';
-- The questions of a followed tag that were active lately, the latest first.
create index tag_question_sort_key_active on tag_question_sort_key (tag_id, active_at desc, question_id desc);

create function update_tag_question_sort_key() returns trigger language plpgsql as $$
begin
  insert into tag_question_sort_key (question_id, tag_id, active_at)
  select question_id, tag_id, new.active_at from question_tag where question_id = new.id
  on conflict (question_id, tag_id) do update set active_at = excluded.active_at;
  return null;
end $$;
create function insert_tag_question_sort_key() returns trigger language plpgsql as $$
begin
  insert into tag_question_sort_key (question_id, tag_id, active_at)
  select added.question_id, added.tag_id, question.active_at
  from added join question on question.id = added.question_id
  where question.active_at > now() - interval '8 days';
  return null;
end $$;
-- Reason: as for question_sort_key.
create trigger question_active_in_tags after update on question
  for each row when (old.active_at <> new.active_at) execute function update_tag_question_sort_key();
create trigger question_tag_sort_key_insert after insert on question_tag
  referencing new table as added for each statement execute function insert_tag_question_sort_key();


-- ---------------------------------------------------------------------------------------------------------------------
-- 7. Discovery: search (docs/search.md)
-- ---------------------------------------------------------------------------------------------------------------------

-- Search reads the smallest of three indexes that has enough matches: the most popular posts, the popular ones, all.
create index question_search on question using gin (
  search_words(title), search_stems(title), search_words(tag_text), search_stems(tag_text),
  search_words(title || ' ' || tag_text || ' ' || content), search_vector
) with (fastupdate = off);
create index question_search_popular on question using gin (
  search_words(title), search_stems(title), search_words(tag_text), search_stems(tag_text),
  search_words(title || ' ' || tag_text || ' ' || content), search_vector
) with (fastupdate = off) where popularity <= 1;
create index question_search_most_popular on question using gin (
  search_words(title), search_stems(title), search_words(tag_text), search_stems(tag_text),
  search_words(title || ' ' || tag_text || ' ' || content), search_vector
) with (fastupdate = off) where popularity = 0;
create index answer_search on answer using gin (search_words(content), search_vector) with (fastupdate = off);
create index answer_search_popular on answer using gin (search_words(content), search_vector)
  with (fastupdate = off) where popularity <= 1;
create index answer_search_most_popular on answer using gin (search_words(content), search_vector)
  with (fastupdate = off) where popularity = 0;
-- Titles that are like a text with typing errors, and parts of words while typing; popular questions first.
create index question_title_trigrams on question using gin (title gin_trgm_ops) with (fastupdate = off);
create index question_title_trigrams_popular on question using gin (title gin_trgm_ops)
  with (fastupdate = off) where popularity <= 1;
-- Titles by one or two letters, which trigrams cannot find. Imported titles can be longer than an index entry.
create index question_title_prefix on question (lower(left(title, 60)) text_pattern_ops);

create table search_word (
  word text collate "C" not null check (char_length(word) between 3 and 200),
  -- How often it is used, estimated from a sample by a job.
  uses bigint not null default 0
);
comment on table search_word is
  'The vocabulary of all posts, for searches by parts of words. A word may be in it twice: with a unique index, two '
  'posts with the same new word would wait for each other.';
-- Whether a word is in it.
create index search_word_word on search_word (word);
-- Frequent words.
create index search_word_uses on search_word (uses desc, word);
-- Words that contain a part.
create index search_word_trigrams on search_word using gin (word gin_trgm_ops) with (fastupdate = off);
-- Words that end in a part, for the first of several typed words.
create index search_word_suffix on search_word (reverse(word));

-- Looks up each word by the index: with 'not exists', PostgreSQL may compare all words with the whole vocabulary.
create function add_search_words(texts text[]) returns void language sql as $$
  insert into search_word (word)
    select word from (
      select distinct word from unnest(texts) as text, unnest(tsvector_to_array(search_words(text))) as word
    ) each
    where char_length(word) between 3 and 200
      and (select known.word from search_word known where known.word = each.word limit 1) is null
$$;
create function add_question_search_words() returns trigger language plpgsql as $$
begin
  perform add_search_words(array(select title || ' ' || tag_text || ' ' || content from added));
  return null;
end $$;
create function add_answer_search_words() returns trigger language plpgsql as $$
begin
  perform add_search_words(array(select content from added));
  return null;
end $$;
create function add_edited_search_words() returns trigger language plpgsql as $$
declare
  post jsonb := to_jsonb(new);
begin
  perform add_search_words(array[concat_ws(' ', post ->> 'title', post ->> 'tag_text', post ->> 'content')]);
  return null;
end $$;
-- Reason: a derived table that only search reads; every way to write a post has to fill it.
create trigger question_search_words_insert after insert on question
  referencing new table as added for each statement execute function add_question_search_words();
create trigger question_search_words_update after update on question
  for each row
  when (old.title <> new.title or old.tag_text <> new.tag_text or old.content <> new.content)
  execute function add_edited_search_words();
create trigger answer_search_words_insert after insert on answer
  referencing new table as added for each statement execute function add_answer_search_words();
create trigger answer_search_words_update after update on answer
  for each row when (old.content <> new.content) execute function add_edited_search_words();


-- ---------------------------------------------------------------------------------------------------------------------
-- 7. Discovery: statistics of members and tags (docs/decisions/035)
--
-- Triggers append what a statement changes to *_statistics_change; a job adds these rows to the statistics and deletes
-- them. So a write locks no shared row. A read adds both in one statement, which sees a change in exactly one of the
-- two.
-- ---------------------------------------------------------------------------------------------------------------------

create table member_daily_statistics (
  member_id bigint not null references member on delete cascade,
  -- In UTC.
  day date not null,
  questions int not null,
  answers int not null,
  replies int not null,
  -- From the votes of others that were cast on that day and still exist.
  points int not null,
  primary key (member_id, day)
) with (fillfactor = 90);
comment on table member_daily_statistics is 'What a member wrote and earned per day, for about a year.';

create table member_statistics (
  member_id bigint primary key references member on delete cascade,
  upvotes bigint not null,
  views bigint not null
) with (fillfactor = 80);
comment on table member_statistics is 'The upvotes and views of all posts of a member.';

create table member_statistics_change (
  member_id bigint not null,
  day date not null,
  questions int not null default 0,
  answers int not null default 0,
  replies int not null default 0,
  points int not null default 0,
  upvotes bigint not null default 0,
  views bigint not null default 0
);
comment on table member_statistics_change is
  'Changes that are to be added to member_daily_statistics and member_statistics, within about a minute. No keys: '
  'every vote, view and post adds rows.';
-- The pending changes of a member.
create index member_statistics_change_member on member_statistics_change (member_id);

create table tag_weekly_statistics (
  tag_id bigint not null references tag on delete cascade,
  -- The Monday, in UTC.
  week date not null,
  -- Questions with the tag by their time, and answers to questions with the tag by theirs.
  questions int not null,
  answers int not null,
  primary key (tag_id, week)
) with (fillfactor = 90);
comment on table tag_weekly_statistics is 'Questions and answers of a tag per week.';

create table tag_statistics_change (
  tag_id bigint not null,
  week date not null,
  questions int not null default 0,
  answers int not null default 0
);
comment on table tag_statistics_change is 'Changes that are to be added to tag_weekly_statistics.';
-- The pending changes of a tag.
create index tag_statistics_change_tag on tag_statistics_change (tag_id);

create function utc_day(at timestamptz) returns date language sql immutable parallel safe
  return (at at time zone 'UTC')::date;
create function utc_week(at timestamptz) returns date language sql immutable parallel safe
  return date_trunc('week', at at time zone 'UTC')::date;

-- Posts count for their author on the day they were written. A post never changes its author.
-- Reason for these and the following triggers: every statement that changes a post, vote or tag changes the statistics.
create function add_statistics_on_question_insert() returns trigger language plpgsql as $$
begin
  insert into member_statistics_change (member_id, day, questions, upvotes, views)
  select author_id, day, sum(posts), sum(upvotes), sum(views) from (
    select author_id, utc_day(created_at) as day, 1 as posts, upvotes as upvotes, views as views
    from added where author_id is not null
  ) part
  group by author_id, day having sum(posts) <> 0 or sum(upvotes) <> 0 or sum(views) <> 0;
  return null;
end $$;
create trigger question_statistics_insert after insert on question
  referencing new table as added
  for each statement execute function add_statistics_on_question_insert();
create function add_statistics_on_question_delete() returns trigger language plpgsql as $$
begin
  insert into member_statistics_change (member_id, day, questions, upvotes, views)
  select author_id, day, sum(posts), sum(upvotes), sum(views) from (
    select author_id, utc_day(created_at) as day, -1 as posts, -upvotes as upvotes, -views as views
    from removed where author_id is not null
  ) part
  group by author_id, day having sum(posts) <> 0 or sum(upvotes) <> 0 or sum(views) <> 0;
  return null;
end $$;
create trigger question_statistics_delete after delete on question
  referencing old table as removed
  for each statement execute function add_statistics_on_question_delete();
create function add_statistics_on_question_update() returns trigger language plpgsql as $$
begin
  insert into member_statistics_change (member_id, day, questions, upvotes, views)
  select author_id, day, sum(posts), sum(upvotes), sum(views) from (
    select author_id, utc_day(created_at) as day, 1 as posts, upvotes as upvotes, views as views
    from added where author_id is not null
    union all
    select author_id, utc_day(created_at) as day, -1 as posts, -upvotes as upvotes, -views as views
    from removed where author_id is not null
  ) part
  group by author_id, day having sum(posts) <> 0 or sum(upvotes) <> 0 or sum(views) <> 0;
  return null;
end $$;
create trigger question_statistics_update after update on question
  referencing new table as added old table as removed
  for each statement execute function add_statistics_on_question_update();
create function add_statistics_on_answer_insert() returns trigger language plpgsql as $$
begin
  insert into member_statistics_change (member_id, day, answers, upvotes, views)
  select author_id, day, sum(posts), sum(upvotes), sum(views) from (
    select author_id, utc_day(created_at) as day, 1 as posts, upvotes as upvotes, 0 as views
    from added where author_id is not null
  ) part
  group by author_id, day having sum(posts) <> 0 or sum(upvotes) <> 0 or sum(views) <> 0;
  return null;
end $$;
create trigger answer_statistics_insert after insert on answer
  referencing new table as added
  for each statement execute function add_statistics_on_answer_insert();
create function add_statistics_on_answer_delete() returns trigger language plpgsql as $$
begin
  insert into member_statistics_change (member_id, day, answers, upvotes, views)
  select author_id, day, sum(posts), sum(upvotes), sum(views) from (
    select author_id, utc_day(created_at) as day, -1 as posts, -upvotes as upvotes, 0 as views
    from removed where author_id is not null
  ) part
  group by author_id, day having sum(posts) <> 0 or sum(upvotes) <> 0 or sum(views) <> 0;
  return null;
end $$;
create trigger answer_statistics_delete after delete on answer
  referencing old table as removed
  for each statement execute function add_statistics_on_answer_delete();
create function add_statistics_on_answer_update() returns trigger language plpgsql as $$
begin
  insert into member_statistics_change (member_id, day, answers, upvotes, views)
  select author_id, day, sum(posts), sum(upvotes), sum(views) from (
    select author_id, utc_day(created_at) as day, 1 as posts, upvotes as upvotes, 0 as views
    from added where author_id is not null
    union all
    select author_id, utc_day(created_at) as day, -1 as posts, -upvotes as upvotes, 0 as views
    from removed where author_id is not null
  ) part
  group by author_id, day having sum(posts) <> 0 or sum(upvotes) <> 0 or sum(views) <> 0;
  return null;
end $$;
create trigger answer_statistics_update after update on answer
  referencing new table as added old table as removed
  for each statement execute function add_statistics_on_answer_update();
create function add_statistics_on_reply_insert() returns trigger language plpgsql as $$
begin
  insert into member_statistics_change (member_id, day, replies, upvotes, views)
  select author_id, day, sum(posts), sum(upvotes), sum(views) from (
    select author_id, utc_day(created_at) as day, (deleted_at is null)::int as posts, upvotes as upvotes, 0 as views
    from added where author_id is not null
  ) part
  group by author_id, day having sum(posts) <> 0 or sum(upvotes) <> 0 or sum(views) <> 0;
  return null;
end $$;
create trigger reply_statistics_insert after insert on reply
  referencing new table as added
  for each statement execute function add_statistics_on_reply_insert();
create function add_statistics_on_reply_delete() returns trigger language plpgsql as $$
begin
  insert into member_statistics_change (member_id, day, replies, upvotes, views)
  select author_id, day, sum(posts), sum(upvotes), sum(views) from (
    select author_id, utc_day(created_at) as day, -(deleted_at is null)::int as posts, -upvotes as upvotes, 0 as views
    from removed where author_id is not null
  ) part
  group by author_id, day having sum(posts) <> 0 or sum(upvotes) <> 0 or sum(views) <> 0;
  return null;
end $$;
create trigger reply_statistics_delete after delete on reply
  referencing old table as removed
  for each statement execute function add_statistics_on_reply_delete();
create function add_statistics_on_reply_update() returns trigger language plpgsql as $$
begin
  insert into member_statistics_change (member_id, day, replies, upvotes, views)
  select author_id, day, sum(posts), sum(upvotes), sum(views) from (
    select author_id, utc_day(created_at) as day, (deleted_at is null)::int as posts, upvotes as upvotes, 0 as views
    from added where author_id is not null
    union all
    select author_id, utc_day(created_at) as day, -(deleted_at is null)::int as posts, -upvotes as upvotes, 0 as views
    from removed where author_id is not null
  ) part
  group by author_id, day having sum(posts) <> 0 or sum(upvotes) <> 0 or sum(views) <> 0;
  return null;
end $$;
create trigger reply_statistics_update after update on reply
  referencing new table as added old table as removed
  for each statement execute function add_statistics_on_reply_update();

-- Votes count for the author of the post on the day they were cast. A vote on one's own post gives no points.
create function add_statistics_on_vote_insert() returns trigger language plpgsql as $$
begin
  insert into member_statistics_change (member_id, day, points)
  select author_id, day, sum(points) from (
    select author_id, utc_day(vote.created_at) as day, case direction when 'up' then 5 else -2 end as points
    from added vote join question post on post.id = vote.question_id where author_id <> member_id
    union all
    select author_id, utc_day(vote.created_at), case direction when 'up' then 10 else -2 end
    from added vote join answer post on post.id = vote.answer_id where author_id <> member_id
    union all
    select author_id, utc_day(vote.created_at), case direction when 'up' then 2 else -2 end
    from added vote join reply post on post.id = vote.reply_id where author_id <> member_id
  ) earned
  group by author_id, day having sum(points) <> 0;
  return null;
end $$;
create trigger vote_statistics_insert after insert on vote
  referencing new table as added
  for each statement execute function add_statistics_on_vote_insert();
create function add_statistics_on_vote_delete() returns trigger language plpgsql as $$
begin
  insert into member_statistics_change (member_id, day, points)
  select author_id, day, sum(points) from (
    select author_id, utc_day(vote.created_at) as day, case direction when 'up' then 5 else -2 end * -1 as points
    from removed vote join question post on post.id = vote.question_id where author_id <> member_id
    union all
    select author_id, utc_day(vote.created_at), case direction when 'up' then 10 else -2 end * -1
    from removed vote join answer post on post.id = vote.answer_id where author_id <> member_id
    union all
    select author_id, utc_day(vote.created_at), case direction when 'up' then 2 else -2 end * -1
    from removed vote join reply post on post.id = vote.reply_id where author_id <> member_id
  ) earned
  group by author_id, day having sum(points) <> 0;
  return null;
end $$;
create trigger vote_statistics_delete after delete on vote
  referencing old table as removed
  for each statement execute function add_statistics_on_vote_delete();
create function add_statistics_on_vote_update() returns trigger language plpgsql as $$
begin
  insert into member_statistics_change (member_id, day, points)
  select author_id, day, sum(points) from (
    select author_id, utc_day(vote.created_at) as day, case direction when 'up' then 5 else -2 end as points
    from added vote join question post on post.id = vote.question_id where author_id <> member_id
    union all
    select author_id, utc_day(vote.created_at), case direction when 'up' then 10 else -2 end
    from added vote join answer post on post.id = vote.answer_id where author_id <> member_id
    union all
    select author_id, utc_day(vote.created_at), case direction when 'up' then 2 else -2 end
    from added vote join reply post on post.id = vote.reply_id where author_id <> member_id
    union all
    select author_id, utc_day(vote.created_at) as day, case direction when 'up' then 5 else -2 end * -1 as points
    from removed vote join question post on post.id = vote.question_id where author_id <> member_id
    union all
    select author_id, utc_day(vote.created_at), case direction when 'up' then 10 else -2 end * -1
    from removed vote join answer post on post.id = vote.answer_id where author_id <> member_id
    union all
    select author_id, utc_day(vote.created_at), case direction when 'up' then 2 else -2 end * -1
    from removed vote join reply post on post.id = vote.reply_id where author_id <> member_id
  ) earned
  group by author_id, day having sum(points) <> 0;
  return null;
end $$;
create trigger vote_statistics_update after update on vote
  referencing new table as added old table as removed
  for each statement execute function add_statistics_on_vote_update();

-- A question with its answers counts for each of its tags.
create function add_tag_statistics_on_question_tag_insert() returns trigger language plpgsql as $$
begin
  insert into tag_statistics_change (tag_id, week, questions, answers)
  select tag_id, week, sum(questions), sum(answers) from (
    select tag_id, utc_week(question_created_at) as week, 1 as questions, 0 as answers from added
    union all
    select tag_id, utc_week(answer.created_at), 0, 1
    from added link join answer on answer.question_id = link.question_id
  ) link
  group by tag_id, week having sum(questions) <> 0 or sum(answers) <> 0;
  return null;
end $$;
create trigger question_tag_statistics_insert after insert on question_tag
  referencing new table as added
  for each statement execute function add_tag_statistics_on_question_tag_insert();
create function add_tag_statistics_on_question_tag_delete() returns trigger language plpgsql as $$
begin
  insert into tag_statistics_change (tag_id, week, questions, answers)
  select tag_id, week, sum(questions), sum(answers) from (
    select tag_id, utc_week(question_created_at) as week, -1 as questions, 0 as answers from removed
    union all
    select tag_id, utc_week(answer.created_at), 0, -1
    from removed link join answer on answer.question_id = link.question_id
  ) link
  group by tag_id, week having sum(questions) <> 0 or sum(answers) <> 0;
  return null;
end $$;
create trigger question_tag_statistics_delete after delete on question_tag
  referencing old table as removed
  for each statement execute function add_tag_statistics_on_question_tag_delete();
create function add_tag_statistics_on_question_tag_update() returns trigger language plpgsql as $$
begin
  insert into tag_statistics_change (tag_id, week, questions, answers)
  select tag_id, week, sum(questions), sum(answers) from (
    select tag_id, utc_week(question_created_at) as week, 1 as questions, 0 as answers from added
    union all
    select tag_id, utc_week(answer.created_at), 0, 1
    from added link join answer on answer.question_id = link.question_id
    union all
    select tag_id, utc_week(question_created_at) as week, -1 as questions, 0 as answers from removed
    union all
    select tag_id, utc_week(answer.created_at), 0, -1
    from removed link join answer on answer.question_id = link.question_id
  ) link
  group by tag_id, week having sum(questions) <> 0 or sum(answers) <> 0;
  return null;
end $$;
create trigger question_tag_statistics_update after update on question_tag
  referencing new table as added old table as removed
  for each statement execute function add_tag_statistics_on_question_tag_update();

-- An answer counts for each tag of its question.
create function add_tag_statistics_on_answer_insert() returns trigger language plpgsql as $$
begin
  insert into tag_statistics_change (tag_id, week, answers)
  select tag_id, utc_week(created_at), count(*)
  from added join question_tag link on link.question_id = added.question_id group by 1, 2;
  return null;
end $$;
create function add_tag_statistics_on_answer_delete() returns trigger language plpgsql as $$
begin
  insert into tag_statistics_change (tag_id, week, answers)
  select tag_id, utc_week(created_at), -count(*)
  from removed join question_tag link on link.question_id = removed.question_id group by 1, 2;
  return null;
end $$;
create function add_tag_statistics_on_answer_update() returns trigger language plpgsql as $$
begin
  insert into tag_statistics_change (tag_id, week, answers)
  select tag_id, moved.week, moved.by
  from (values (utc_week(new.created_at), 1), (utc_week(old.created_at), -1)) moved (week, by), question_tag link
  where link.question_id = new.question_id;
  return null;
end $$;
create trigger answer_tag_statistics_insert after insert on answer
  referencing new table as added for each statement execute function add_tag_statistics_on_answer_insert();
create trigger answer_tag_statistics_delete after delete on answer
  referencing old table as removed for each statement execute function add_tag_statistics_on_answer_delete();
create trigger answer_tag_statistics_update after update on answer
  for each row when (old.created_at <> new.created_at)
  execute function add_tag_statistics_on_answer_update();


-- ---------------------------------------------------------------------------------------------------------------------
-- 8. Notifications
-- ---------------------------------------------------------------------------------------------------------------------

create table notification (
  id bigint generated always as identity primary key,
  recipient_id bigint not null references member on delete cascade,
  sender_id bigint not null references member on delete cascade,
  kind text not null check (kind in (
    'answer', 'followed_answer', 'reply_to_question', 'reply_to_answer', 'reply_to_reply',
    'vote_question', 'vote_answer', 'vote_reply', 'accepted', 'accepted_followed', 'mention'
  )),
  question_id bigint not null references question on delete cascade,
  answer_id bigint references answer on delete cascade,
  reply_id bigint references reply on delete cascade,
  created_at timestamptz(3) not null default now(),
  read_at timestamptz(3),
  -- The email that is still to be sent about it; null for none.
  pending_email text check (pending_email in ('instant', 'daily', 'weekly')),
  -- Whether it is still to be sent by web push.
  pending_push boolean not null default false,
  check (recipient_id <> sender_id)
);
comment on table notification is 'Notifications of members.';
-- The notifications of a member, the latest first, and the unread ones.
create index notification_newest on notification (recipient_id, id desc);
create index notification_unread on notification (recipient_id, id desc) where read_at is null;
-- The notifications about a post, for the page and the cascade.
create index notification_question on notification (question_id);
create index notification_answer on notification (answer_id) where answer_id is not null;
create index notification_reply on notification (reply_id) where reply_id is not null;
-- A member is notified about a post once: of repeated votes of a member, of an answer or reply (also if it mentions
-- them), of a mention in a question, and of an acceptance that moves back and forth.
create unique index notification_vote_question on notification (question_id, sender_id) where kind = 'vote_question';
create unique index notification_vote_answer on notification (answer_id, sender_id) where kind = 'vote_answer';
create unique index notification_vote_reply on notification (reply_id, sender_id) where kind = 'vote_reply';
create unique index notification_answer_once on notification (answer_id, recipient_id)
  where kind in ('answer', 'followed_answer') or (kind = 'mention' and reply_id is null);
create unique index notification_reply_once on notification (reply_id, recipient_id)
  where kind in ('reply_to_question', 'reply_to_answer', 'reply_to_reply', 'mention');
create unique index notification_mention_once on notification (question_id, recipient_id)
  where kind = 'mention' and answer_id is null and reply_id is null;
create unique index notification_accepted_once on notification (answer_id, recipient_id)
  where kind in ('accepted', 'accepted_followed');
-- What one email to a member has in it.
create index notification_pending_email on notification (recipient_id, id) where pending_email is not null;
-- The members who are due an instant email.
create index notification_pending_instant_email on notification (created_at)
  where pending_email = 'instant' and read_at is null;
-- Cleanup of emails that were not sent in time.
create index notification_pending_email_age on notification (created_at) where pending_email is not null;
-- The notifications to send by web push.
create index notification_pending_push on notification (recipient_id, id) where pending_push;

-- The category of a kind in notification_preference.
create function notification_category(kind text) returns text language sql immutable parallel safe as $$
  select case kind
    when 'answer' then 'answers'
    when 'followed_answer' then 'followed'
    when 'reply_to_question' then 'replies'
    when 'reply_to_answer' then 'replies'
    when 'reply_to_reply' then 'replies'
    when 'mention' then 'mentions'
    when 'accepted' then 'accepted'
    when 'accepted_followed' then 'accepted'
    when 'vote_question' then 'votes'
    when 'vote_answer' then 'votes'
    when 'vote_reply' then 'votes'
  end
$$;

create table notification_preference (
  member_id bigint not null references member on delete cascade,
  category text not null check (category in ('answers', 'followed', 'replies', 'mentions', 'accepted', 'votes')),
  -- Off: no notification is inserted, so that there is nothing to send by email or push either.
  in_app boolean not null,
  email text not null check (email in ('off', 'instant', 'daily', 'weekly')),
  push boolean not null,
  primary key (member_id, category)
);
comment on table notification_preference is
  'Notification preferences per category. Without a row the defaults hold: in the app, by push except for votes, no '
  'email.';

create table email_schedule (
  member_id bigint primary key references member on delete cascade,
  -- As the browser of the member names it, such as 'Europe/Berlin': digests are sent in the morning there.
  time_zone text not null default 'UTC' check (char_length(time_zone) between 1 and 64),
  -- No instant email before.
  instant_after timestamptz(3) not null default now(),
  -- The next digests; null where no category is chosen for it.
  daily_at timestamptz(3),
  weekly_at timestamptz(3)
);
comment on table email_schedule is 'When members who chose email get their next one.';
-- The members whose digest is due.
create index email_schedule_daily on email_schedule (daily_at) where daily_at is not null;
create index email_schedule_weekly on email_schedule (weekly_at) where weekly_at is not null;

create table push_subscription (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  -- Deleted with its session: after signing out, the browser gets no more pushes.
  session_id bigint not null unique,
  endpoint text not null unique check (char_length(endpoint) between 1 and 1000),
  p256dh text not null check (char_length(p256dh) between 1 and 200),
  auth text not null check (char_length(auth) between 1 and 100),
  created_at timestamptz(3) not null default now(),
  foreign key (session_id, member_id) references session (id, member_id) on delete cascade
);
comment on table push_subscription is 'Browsers that receive web push, with the keys of their subscription (RFC 8291).';
-- The subscriptions of a member.
create index push_subscription_member on push_subscription (member_id, id);

create function apply_notification_preference() returns trigger language plpgsql as $$
declare
  chosen notification_preference;
begin
  select * into chosen from notification_preference
  where member_id = new.recipient_id and category = notification_category(new.kind);
  if found and not chosen.in_app then
    return null;
  end if;
  -- An address that is not confirmed gets no email.
  if found and chosen.email <> 'off' then
    select chosen.email into new.pending_email from member
    where id = new.recipient_id and email is not null and email_verified;
  end if;
  new.pending_push := coalesce(chosen.push, notification_category(new.kind) <> 'votes', true)
    and exists (select from push_subscription where member_id = new.recipient_id);
  return new;
end $$;
-- Reason: every statement that inserts notifications follows the preferences of the recipients.
create trigger notification_channels before insert on notification
  for each row execute function apply_notification_preference();


-- ---------------------------------------------------------------------------------------------------------------------
-- 9. Moderation (docs/decisions/032, 039)
-- ---------------------------------------------------------------------------------------------------------------------

-- Reports, hidden posts and the log refer to posts by kind and id, without foreign keys: they outlive the post.

create table report (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  post_kind text not null check (post_kind in ('question', 'answer', 'reply')),
  post_id bigint not null,
  reason text not null check (reason in ('spam', 'rude', 'off_topic', 'duplicate', 'other')),
  note text not null default '' check (char_length(note) <= 500),
  created_at timestamptz(3) not null default now(),
  closed_at timestamptz(3),
  -- deleted: the post was deleted by its author.
  outcome text check (outcome in ('dismissed', 'resolved', 'deleted')),
  unique (post_kind, post_id, member_id),
  check ((closed_at is null) = (outcome is null)),
  check (reason <> 'other' or note <> '')
);
comment on table report is 'Posts that members reported to the moderators.';
-- The reports of a member: limits, data export.
create index report_member on report (member_id, id);

create table reported_post (
  id bigint generated always as identity primary key,
  post_kind text not null check (post_kind in ('question', 'answer', 'reply')),
  post_id bigint not null,
  open_reports bigint not null check (open_reports > 0),
  first_reported_at timestamptz(3) not null default now(),
  unique (post_kind, post_id)
);
comment on table reported_post is
  'The review queue: posts with open reports. The row is deleted when the last of them is closed or withdrawn.';
-- The queue, the most reported posts first.
create index reported_post_queue on reported_post (open_reports desc, id desc);

create function close_reports_of_deleted_posts() returns trigger language plpgsql as $$
begin
  update report set closed_at = now(), outcome = 'deleted'
  where post_kind = tg_argv[0] and closed_at is null and post_id in (select id from gone);
  delete from reported_post where post_kind = tg_argv[0] and post_id in (select id from gone);
  return null;
end $$;
create function close_reports_of_deleted_reply() returns trigger language plpgsql as $$
begin
  update report set closed_at = now(), outcome = 'deleted'
  where post_kind = 'reply' and closed_at is null and post_id = new.id;
  delete from reported_post where post_kind = 'reply' and post_id = new.id;
  return null;
end $$;
-- Reason: a deleted post leaves the queue, whichever statement or cascade deletes it.
create trigger question_reports_delete after delete on question
  referencing old table as gone for each statement execute function close_reports_of_deleted_posts('question');
create trigger answer_reports_delete after delete on answer
  referencing old table as gone for each statement execute function close_reports_of_deleted_posts('answer');
create trigger reply_reports_delete after delete on reply
  referencing old table as gone for each statement execute function close_reports_of_deleted_posts('reply');
create trigger reply_reports_update after update on reply
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function close_reports_of_deleted_reply();

create table bulk_removal (
  id bigint generated always as identity primary key,
  -- Null for the command line.
  moderator_id bigint,
  reason text not null check (char_length(reason) between 1 and 500),
  created_at timestamptz(3) not null default now()
);
comment on table bulk_removal is 'Removals of all activity of many accounts. Each account has an activity_removal.';

create table activity_removal (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  -- Null for the command line.
  moderator_id bigint,
  bulk_removal_id bigint references bulk_removal,
  reason text not null check (char_length(reason) between 1 and 500),
  state text not null default 'removing' check (state in ('removing', 'removed', 'restoring', 'restored')),
  -- How many there are, and how many a job has removed.
  posts bigint not null default 0 check (posts >= 0),
  votes bigint not null default 0 check (votes >= 0),
  posts_done bigint not null default 0 check (posts_done >= 0),
  votes_done bigint not null default 0 check (votes_done >= 0),
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  check ((finished_at is null) = (state in ('removing', 'restoring')))
);
comment on table activity_removal is 'Removals of all posts and votes of an account, which a moderator can restore.';
-- At most one per member that is not restored.
create unique index activity_removal_member on activity_removal (member_id) where state <> 'restored';
-- The latest of a member.
create index activity_removal_latest on activity_removal (member_id, id desc);
-- The job that removes or restores.
create index activity_removal_running on activity_removal (id) where state in ('removing', 'restoring');
-- The accounts of a bulk removal, and those in progress.
create index activity_removal_bulk on activity_removal (bulk_removal_id, id) where bulk_removal_id is not null;
create index activity_removal_bulk_running on activity_removal (bulk_removal_id, id)
  where bulk_removal_id is not null and state in ('removing', 'restoring');

create table removed_vote (
  activity_removal_id bigint not null references activity_removal on delete cascade,
  post_kind text not null check (post_kind in ('question', 'answer', 'reply')),
  post_id bigint not null,
  direction text not null check (direction in ('up', 'down')),
  created_at timestamptz(3) not null,
  primary key (activity_removal_id, post_kind, post_id)
);
comment on table removed_vote is 'The votes that a removal of all activity removed, to restore them.';

create table hidden_post (
  id bigint generated always as identity primary key,
  post_kind text not null check (post_kind in ('question', 'answer', 'reply')),
  post_id bigint not null,
  question_id bigint not null,
  answer_id bigint,
  author_id bigint references member on delete set null,
  status text not null check (status in ('hidden', 'deleted')),
  reason text not null check (char_length(reason) between 1 and 500),
  title text not null,
  content text not null,
  activity_removal_id bigint references activity_removal on delete set null,
  created_at timestamptz(3) not null default now(),
  -- When it is deleted for good; null for a hidden post, which stays until a moderator restores it.
  purge_at timestamptz(3),
  unique (post_kind, post_id),
  check ((status = 'deleted') = (purge_at is not null)),
  check (post_kind <> 'question' or (post_id = question_id and answer_id is null))
);
comment on table hidden_post is
  'Posts that a moderator hid or deleted. Their rows, and all rows that belong to them, have moved to hidden_row: '
  'no list, count or search has to leave them out.';
-- The hidden posts of a member.
create index hidden_post_author on hidden_post (author_id, id desc);
-- The hidden posts of a question page.
create index hidden_post_question on hidden_post (question_id, id);
-- The job that deletes for good.
create index hidden_post_purge on hidden_post (purge_at) where purge_at is not null;
-- The posts of a removal of all activity, to restore them.
create index hidden_post_activity_removal on hidden_post (activity_removal_id, id)
  where activity_removal_id is not null;

create table hidden_row (
  id bigint generated always as identity primary key,
  hidden_post_id bigint not null references hidden_post on delete cascade,
  -- The table that the row is from.
  part text not null,
  row jsonb not null
);
comment on table hidden_row is 'The rows of hidden posts and of what belongs to them, as JSON.';
-- The rows of a hidden post, table by table.
create index hidden_row_part on hidden_row (hidden_post_id, part, id);
-- Which tags have hidden questions only.
create index hidden_row_tag on hidden_row ((row ->> 'name')) where part = 'tag';

create table moderator_message (
  id bigint generated always as identity primary key,
  member_id bigint not null references member on delete cascade,
  kind text not null check (kind in ('warning', 'suspension', 'hidden', 'deleted')),
  reason text not null check (char_length(reason) between 1 and 500),
  until timestamptz(3),
  -- The title of the question, for a message about a post.
  title text,
  created_at timestamptz(3) not null default now(),
  seen_at timestamptz(3),
  check ((kind = 'suspension') = (until is not null))
);
comment on table moderator_message is 'Messages from the moderators that a member sees until they acknowledge them.';
-- How many warnings and suspensions a member had.
create index moderator_message_member on moderator_message (member_id, kind);
-- The messages that a member has not seen.
create index moderator_message_unseen on moderator_message (member_id, id) where seen_at is null;

create table moderation_log (
  id bigint generated always as identity primary key,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- Null for the command line.
  moderator_id bigint,
  action text not null check (action in (
    'dismiss', 'hide', 'delete', 'restore', 'lock', 'unlock', 'duplicate', 'not_duplicate', 'warn', 'suspend',
    'lift_suspension', 'remove_activity', 'restore_activity', 'purge', 'role', 'approve', 'bulk_remove_activity', 'bulk_restore_activity'
  )),
  reason text not null default '' check (char_length(reason) <= 500),
  post_kind text check (post_kind in ('question', 'answer', 'reply')),
  post_id bigint,
  question_id bigint,
  -- The author of the post, or the member it is about.
  member_id bigint,
  -- The state before, without texts of members.
  before jsonb not null default '{}',
  check ((post_kind is null) = (post_id is null))
);
comment on table moderation_log is 'All actions of moderators. It holds no names: they are looked up when it is read.';
-- The actions on a post.
create index moderation_log_post on moderation_log (post_kind, post_id, id desc) where post_id is not null;

create function refuse_moderation_log_change() returns trigger language plpgsql as $$
begin
  raise exception 'the moderation log is append-only';
end $$;
-- Reason: the log is append-only, also for SQL that is typed by hand.
create trigger moderation_log_append_only before update or delete on moderation_log
  for each row execute function refuse_moderation_log_change();
create trigger moderation_log_no_truncate before truncate on moderation_log
  for each statement execute function refuse_moderation_log_change();


-- ---------------------------------------------------------------------------------------------------------------------
-- 10. Operations
-- ---------------------------------------------------------------------------------------------------------------------

create table backup_run (
  id bigint generated always as identity primary key,
  node text not null,
  started_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  outcome text not null default 'running' check (outcome in ('running', 'succeeded', 'failed')),
  -- An absolute path on the machine of the node.
  file text not null,
  bytes bigint,
  -- Why it failed, as a sentence for the operator.
  reason text,
  -- When it was last restored into a scratch database and compared, and what was wrong with it there.
  verified_at timestamptz(3),
  verify_problem text
);
comment on table backup_run is
  'Scheduled backups, for the schedule, the metrics and `parley doctor`. Backups leave this table out.';
-- The latest backups.
create index backup_run_started on backup_run (started_at desc);
