import type { ClientBase } from 'pg';
import { lineError } from './jsonl-files.ts';

/** The kinds of posts in staging tables, in the order in which they refer to each other. */
export const postKinds = { question: 1, answer: 2, reply: 3 } as const;

/**
 * Creates the temporary tables that the rows are read into. `new_id` is the id here, `is_new` whether this import adds
 * the row.
 */
export async function createLineTables(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table line_member (
      line integer not null, id bigint not null, name text not null, bio text, location text, website text,
      reputation bigint, has_role boolean not null, is_bot boolean not null,
      avatar text, email text, show_email boolean not null, suspended_until timestamptz(3),
      suspension_reason text, identities jsonb, claimed jsonb, created timestamptz(3) not null, path text not null, source_site text, source_key text,
      new_id bigint, is_new boolean not null default false, is_deleted boolean not null default false);
    create temporary table line_post (
      line integer not null, kind smallint not null, id bigint not null, question bigint, answer bigint, parent bigint,
      author bigint, author_name text, title text, content text not null, excerpt text, excerpt_cut boolean,
      tags text[], tag_keys text[], upvotes bigint, downvotes bigint, views bigint not null, accepted bigint,
      duplicate_of bigint, lock_reason text, closed_reason text, closed_at timestamptz(3), closers jsonb, deleted boolean not null, created timestamptz(3) not null,
      edited timestamptz(3), license text, path text, source_site text, source_key text, has_links boolean not null,
      has_pictures boolean not null, wiki timestamptz(3), bounties jsonb,
      new_id bigint, is_new boolean not null default false, is_skipped text, author_id bigint,
      new_question bigint, new_answer bigint, new_parent bigint, level smallint);
    create temporary table line_badge (
      line integer not null, member bigint not null, name text not null, class text, is_tag_based boolean not null,
      awards integer not null, first_at timestamptz(3) not null, last_at timestamptz(3) not null, source_site text,
      source_key text);
    create temporary table line_tag (
      line integer not null, name text not null, key text not null, description text, about text,
      description_source jsonb, about_source jsonb, synonym_of text);
    create temporary table line_vote (
      line integer not null, kind smallint not null, post bigint not null, direction text not null, member bigint,
      created timestamptz(3) not null);
    create temporary table line_revision (
      line integer not null, kind smallint not null, post bigint not null, number bigint not null, title text,
      content text not null, tags text[], created timestamptz(3) not null, replaced timestamptz(3), editor bigint,
      editor_name text, approver bigint, summary text, is_imported boolean not null);
    create temporary table line_follow (
      line integer not null, member bigint not null, question bigint, tag_key text, created timestamptz(3) not null);
    create temporary table line_bookmark (
      line integer not null, member bigint not null, question bigint, answer bigint, note text not null,
      created timestamptz(3) not null);
    create temporary table line_picture (
      line integer not null, original text not null, name text not null, member bigint, kind text not null, content_hash bytea not null,
      width integer not null, height integer not null, new_id bigint, is_new boolean not null default false);
    -- Read for each picture.
    create index line_member_avatar on line_member (avatar);
    create unique index line_picture_name on line_picture (name);
    create temporary table line_picture_file (
      name text not null, width integer not null, height integer not null, content bytea not null);
    create temporary table line_redirect (
      line integer not null, address text not null, kind text not null, target bigint, tag_key text, source_site text,
      new_id bigint, is_new boolean not null default false);`);
}

/**
 * Indexes the staging tables and checks what refers to what.
 * @throws ArchiveError with the name of the file and the number of the line
 */
export async function checkReferences(client: ClientBase): Promise<void> {
  await client.query(`
    create index line_member_id on line_member (id);
    create index line_post_id on line_post (kind, id);
    create index line_vote_post on line_vote (kind, post);
    create index line_tag_key on line_tag (key);
    create index line_redirect_address on line_redirect (address);
    analyze line_member; analyze line_post; analyze line_vote; analyze line_tag; analyze line_revision;
    analyze line_follow; analyze line_bookmark; analyze line_redirect;`);
  for (const [sql, describe] of problems) {
    const { rows } = await client.query<{ file: string; line: number; value: string }>(
      `${sql} order by line limit 1`,
    );
    const [row] = rows;
    if (row !== undefined) throw lineError(row.file, row.line, describe(row.value));
  }
}

const fileOfPost = `case post.kind when 1 then 'questions.jsonl' when 2 then 'answers.jsonl' else 'replies.jsonl' end`;

/** The number of the kind of a row of `line_redirect redirect`. */
export const kindNumber = `array_position(array['question', 'answer', 'reply'], redirect.kind)`;

const problems: readonly (readonly [sql: string, describe: (value: string) => string])[] = [
  [
    `select 'members.jsonl' as file, line, id as value from line_member member
     where exists (select from line_member other where other.id = member.id and other.line < member.line)`,
    (value) => `another line has the id ${value}`,
  ],
  [
    `with listed as (
       select line, identity ->> 'issuer' as issuer, identity ->> 'subject' as subject
       from line_member cross join lateral jsonb_array_elements(identities) identity where identities is not null
     )
     select 'members.jsonl' as file, line, subject as value from (
       select *, row_number() over (partition by issuer, subject order by line) as place from listed
     ) placed where place > 1`,
    (value) => `identities: "${value}" is listed twice`,
  ],
  [
    `select ${fileOfPost} as file, line, id as value from line_post post
     where exists (select from line_post other where other.kind = post.kind and other.id = post.id and other.line < post.line)`,
    (value) => `another line has the id ${value}`,
  ],
  [
    `select 'members.jsonl' as file, max(line) as line, source_site || ' ' || source_key as value from line_member
     where source_site is not null group by source_site, source_key having count(*) > 1`,
    (value) => `source: another line has ${value}`,
  ],
  [
    `select ${fileOfPost} as file, max(line) as line, source_site || ' ' || source_key as value from line_post post
     where source_site is not null group by kind, source_site, source_key having count(*) > 1`,
    (value) => `source: another line has ${value}`,
  ],
  [
    `select 'tags.jsonl' as file, line, name as value from line_tag tag
     where exists (select from line_tag other where other.key = tag.key and other.line < tag.line)`,
    (value) => `another line has the tag "${value}"`,
  ],
  [
    `select ${fileOfPost} as file, line, question as value from line_post post
     where kind > 1 and not exists (select from line_post other where other.kind = 1 and other.id = post.question)`,
    (value) => `questionId: there is no question ${value} in questions.jsonl`,
  ],
  [
    `select ${fileOfPost} as file, line, answer as value from line_post post
     where kind = 3 and answer is not null and not exists (
       select from line_post other where other.kind = 2 and other.id = post.answer and other.question = post.question)`,
    (value) => `answerId: question has no answer ${value} in answers.jsonl`,
  ],
  [
    `select 'replies.jsonl' as file, line, parent as value from line_post post
     where kind = 3 and exists (
       select from line_post other where other.kind = 3 and other.id = post.parent
         and (other.question, coalesce(other.answer, 0)) <> (post.question, coalesce(post.answer, 0)))`,
    (value) => `parentReplyId: reply ${value} is to another post`,
  ],
  [
    `select 'redirects.jsonl' as file, line, address as value from line_redirect redirect
     where exists (select from line_redirect other
       where other.address = redirect.address and other.source_site is not distinct from redirect.source_site
         and other.line < redirect.line)`,
    (value) => `from: another line has the address ${value}`,
  ],
  [
    `select 'redirects.jsonl' as file, line, redirect.kind || ' ' || target as value from line_redirect redirect
     where target is not null and not case redirect.kind
       when 'member' then exists (select from line_member member where member.id = target)
       else exists (select from line_post post where post.kind = ${kindNumber} and post.id = target) end`,
    (value) => `there is no ${value} in the files`,
  ],
];
