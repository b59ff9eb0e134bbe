import type { ClientBase } from 'pg';
import { limits } from '#shared/core/limits.ts';
import type { ConvertReport } from './convert.ts';

/*
 * Temporary tables that converters of forums fill: topics and posts as forums have them. `left_out` is the reason why a row
 * is not converted.
 */

export async function createForumTables(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table forum_member (
      line bigint not null, id bigint not null, name text not null, bio text, bio_format text, email text, location text, website text, identities jsonb,
      created timestamptz(3), path text, left_out text);
    create temporary table forum_tag (
      line bigint not null, id bigint not null, name text not null, description text, path text, left_out text);
    create temporary table forum_topic (
      line bigint not null, id bigint not null, title text not null, tags text[] not null, tag_ids bigint[] not null,
      author bigint, author_name text, created timestamptz(3), edited timestamptz(3), views bigint, upvotes bigint,
      downvotes bigint, content text, format text, accepted bigint, first_post bigint, duplicate_of bigint,
      lock_reason text, path text, left_out text);
    create temporary table forum_post (
      line bigint not null, id bigint not null, topic bigint not null, author bigint, author_name text,
      created timestamptz(3), edited timestamptz(3), upvotes bigint, downvotes bigint, content text not null,
      format text not null, reply_to bigint, is_thread boolean not null default false, is_comment boolean not null default false, number bigint, path text, left_out text,
      is_first boolean not null default false, is_reply boolean not null default false, answer bigint);
    create temporary table forum_vote (
      post bigint not null, member bigint, direction text not null default 'up', created timestamptz(3));
    create temporary table forum_redirect (address text not null, kind text not null, id bigint not null);`);
}

/** Ends the work with the tables: `arrangePosts` and everything after it needs indexes. */
export async function indexForumTables(client: ClientBase): Promise<void> {
  await client.query(`
    create index forum_member_id on forum_member (id);
    create index forum_tag_id on forum_tag (id);
    create index forum_topic_id on forum_topic (id);
    create index forum_post_id on forum_post (id);
    create index forum_post_topic on forum_post (topic);
    create index forum_post_reply on forum_post (reply_to) where reply_to is not null;
    create index forum_vote_post on forum_vote (post);
    analyze forum_member; analyze forum_tag; analyze forum_topic; analyze forum_post; analyze forum_vote;`);
}

/**
 * Decides what each post becomes. The first post of a topic is the text of the question, unless the topic has a text. A post
 * that replies to another one than the first is a reply to the answer above it if it has at most 1,000 characters, was
 * posted later, and was not accepted. All others are answers. `is_thread`: the forum itself shows the post below the other.
 * `is_comment`: the post is a comment on the question, or a reply to one.
 */
export async function arrangePosts(client: ClientBase): Promise<void> {
  await client.query(`
    update forum_member set left_out = 'without a name' where left_out is null and name = '';
    update forum_tag set left_out = 'without a name' where left_out is null and name = '';
    update forum_topic set left_out = 'without a title' where left_out is null and title = '';
    update forum_post set left_out = 'without a text' where left_out is null and content !~ '\\S';
    update forum_post post set left_out = 'of topics that are not in the files'
    where left_out is null and not exists (select from forum_topic topic where topic.id = post.topic);
    update forum_post post set left_out = 'in topics that are left out' from forum_topic topic
    where post.left_out is null and topic.id = post.topic and topic.left_out is not null;
    update forum_post post set is_first = true
    from (
      select topic.id as topic, coalesce(topic.first_post, min(post.id)) as id
      from forum_topic topic left join lateral (
        select id from forum_post post where post.topic = topic.id order by created, id limit 1) post on true
      where topic.content is null and topic.left_out is null group by topic.id, topic.first_post
    ) first
    where post.id = first.id and post.topic = first.topic and post.left_out is null;
    update forum_topic topic set left_out = 'without a first post'
    where left_out is null and content is null and not exists (
      select from forum_post post where post.topic = topic.id and is_first);
    update forum_post post set left_out = 'in topics that are left out' from forum_topic topic
    where post.left_out is null and topic.id = post.topic and topic.left_out is not null;
    update forum_post post set is_reply = true
    from forum_post above, forum_topic topic
    where above.id = post.reply_to and above.topic = post.topic and not above.is_first and above.left_out is null
      and topic.id = post.topic and post.id is distinct from topic.accepted and post.left_out is null and not post.is_first
      and not post.is_comment and (post.is_thread or (
        (above.created, above.id) < (post.created, post.id) and char_length(post.content) <= ${limits.reply}));
    update forum_post post set left_out = 'replies to posts that are left out'
    from forum_post above, forum_topic topic
    where above.id = post.reply_to and above.left_out is not null and post.left_out is null and post.is_thread
      and topic.id = post.topic and post.id is distinct from topic.accepted;
    with recursive thread as (
      select id, id as answer from forum_post where left_out is null and not is_first and not is_reply and not is_comment
      union all
      select post.id, thread.answer from thread join forum_post post on post.reply_to = thread.id and post.is_reply)
    update forum_post post set answer = thread.answer from thread where thread.id = post.id and post.is_reply;
    analyze forum_post;`);
}

/** SQL for what a row of `forum_post post` became: question, answer or reply. */
export const kindOfPost = `case when post.is_first then 'question'
  when post.answer is null and not post.is_comment then 'answer' else 'reply' end`;

/**
 * Adds the addresses of what is converted. Runs after `arrangePosts`.
 * @param patterns SQL for an address, from the columns of `forum_topic topic`, `forum_post post`, `forum_member member` and
 * `forum_tag tag`
 */
export async function addForumRedirects(
  client: ClientBase,
  patterns: {
    topic: readonly string[];
    post: readonly string[];
    member: readonly string[];
    tag: readonly string[];
  },
  values: readonly string[] = [],
): Promise<void> {
  const selects = [
    ...patterns.topic.map(
      (address) => `select ${address}, 'question', topic.id from forum_topic topic where left_out is null`,
    ),
    ...patterns.post.map(
      (address) => `
        select ${address},
          ${kindOfPost},
          case when post.is_first then topic.id else post.id end
        from forum_post post join forum_topic topic on topic.id = post.topic where post.left_out is null and ${address} is not null`,
    ),
    ...patterns.member.map(
      (address) => `select ${address}, 'member', member.id from forum_member member where left_out is null`,
    ),
    ...patterns.tag.map(
      (address) =>
        `select ${address}, 'tag', tag.id from forum_tag tag where left_out is null and name ~ '\\S' and ${address} is not null`,
    ),
  ];
  for (const select of selects)
    await client.query(`insert into forum_redirect (address, kind, id) ${select}`, [...values]);
}

/** The outcome of rows that are listed as reasons, null for what is converted, with counts. */
export async function reportRows(client: ClientBase, file: string, reasons: string): Promise<ConvertReport> {
  const { rows } = await client.query<{ reason: string | null; rows: number }>(
    `select reason, count(*)::int as rows from (${reasons}) outcome (reason) group by 1 order by 2 desc, 1`,
  );
  return {
    file,
    read: rows.reduce((sum, row) => sum + row.rows, 0),
    converted: rows.find(({ reason }) => reason === null)?.rows ?? 0,
    leftOut: rows.flatMap(({ reason, rows: number }) => (reason === null ? [] : [{ reason, rows: number }])),
  };
}

/** The outcome of every row of a table. */
export const reportTable = (
  client: ClientBase,
  table: 'forum_member' | 'forum_tag' | 'forum_topic' | 'forum_post',
  file: string,
): Promise<ConvertReport> => reportRows(client, file, `select left_out from ${table}`);
