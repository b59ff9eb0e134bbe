-- Uploaded pictures (docs/decisions/055). Their files are WebP that the server encoded, never the bytes of a member.
create table upload (
  id bigint generated always as identity primary key,
  -- The part of the address that cannot be guessed: 128 random bits as base64url.
  name text not null unique check (name ~ '^[A-Za-z0-9_-]{22}$'),
  -- Null after the member deleted their account while a post shows the picture.
  member_id bigint references member,
  kind text not null check (kind in ('picture', 'avatar')),
  -- SHA-256 of the file that was uploaded, so that the same file is stored once per member.
  content_hash bytea not null check (length(content_hash) = 32),
  -- The size of the largest file in pixels.
  width integer not null check (width > 0),
  height integer not null check (height > 0),
  -- The size of all files in bytes.
  bytes bigint not null check (bytes > 0),
  -- When it was uploaded last. An upload that nothing refers to is deleted a day later.
  uploaded_at timestamptz(3) not null default now()
);
comment on table upload is 'Pictures that members uploaded.';
-- The same file again, and the space that a member uses.
create unique index upload_content on upload (member_id, kind, content_hash);
-- Uploads that may be unused.
create index upload_uploaded on upload (uploaded_at);

create table upload_file (
  upload_id bigint not null references upload on delete cascade,
  width integer not null,
  height integer not null,
  content bytea not null,
  primary key (upload_id, width)
);
comment on table upload_file is 'The sizes of an uploaded picture, as WebP.';
-- WebP cannot be compressed further.
alter table upload_file alter content set storage external;

create table upload_reference (
  upload_id bigint not null references upload on delete cascade,
  question_id bigint references base_question on delete cascade,
  answer_id bigint references base_answer on delete cascade,
  reply_id bigint references base_reply on delete cascade,
  check (num_nonnulls(question_id, answer_id, reply_id) = 1)
);
comment on table upload_reference is
  'Which post shows an upload, in its text or in an earlier version of it. An edit removes no row.';
create unique index upload_reference_question on upload_reference (question_id, upload_id)
  where question_id is not null;
create unique index upload_reference_answer on upload_reference (answer_id, upload_id) where answer_id is not null;
create unique index upload_reference_reply on upload_reference (reply_id, upload_id) where reply_id is not null;
-- The posts that show an upload.
create index upload_reference_upload on upload_reference (upload_id);
