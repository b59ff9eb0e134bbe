import type { ClientBase } from 'pg';
import { convertDump, readDump } from './convert-dump.ts';
import type { ConvertOptions, ConvertSummary } from './convert.ts';
import type { DumpTables } from './sql-dump.ts';

/** The columns are those of Discourse's schema (app/models of discourse/discourse and discourse/discourse-solved). */
const tables = {
  users: ['id', 'username', 'created_at'],
  user_emails: ['user_id', 'email', 'primary'],
  user_profiles: ['user_id', 'bio_raw'],
  user_options: ['user_id', 'hide_profile_and_presence', 'hide_profile'],
  user_associated_accounts: ['user_id', 'provider_name', 'provider_uid'],
  categories: ['id', 'name', 'slug', 'description', 'read_restricted', 'topic_id'],
  tags: ['id', 'name', 'description', 'target_tag_id'],
  tag_group_memberships: ['tag_id', 'tag_group_id'],
  tag_group_permissions: ['tag_group_id', 'group_id'],
  topics: [
    'id',
    'title',
    'slug',
    'created_at',
    'views',
    'user_id',
    'category_id',
    'visible',
    'closed',
    'archived',
    'archetype',
    'deleted_at',
  ],
  topic_tags: ['topic_id', 'tag_id'],
  posts: [
    'id',
    'user_id',
    'topic_id',
    'post_number',
    'raw',
    'created_at',
    'version',
    'last_version_at',
    'reply_to_post_number',
    'deleted_at',
    'user_deleted',
    'hidden',
    'post_type',
  ],
  post_actions: ['post_id', 'user_id', 'post_action_type_id', 'deleted_at', 'created_at'],
  discourse_solved_solved_topics: ['topic_id', 'answer_post_id'],
  topic_custom_fields: ['topic_id', 'name', 'value'],
} satisfies DumpTables;

/**
 * Converts the SQL dump in a backup of Discourse.
 * @throws ArchiveError with the line of the first problem
 */
export const convertDiscourse = (options: ConvertOptions): Promise<ConvertSummary> =>
  convertDump(options, {
    product: 'Discourse',
    read: readDump('Discourse', { tables, required: ['users', 'topics', 'posts'] }),
    fill,
    redirects: {
      topic: ['topic.path', `'/t/' || topic.id`],
      post: [
        `topic.path || '/' || post.number`,
        `'/t/' || topic.id || '/' || post.number`,
        `'/p/' || post.id`,
      ],
      member: [`'/u/' || member.name`],
      tag: ['tag.path'],
    },
    convertContent: ({ content }, site) => ({
      content: convertDiscourseText(content, site),
      format: 'markdown',
    }),
    outcomes: [
      ['users', 'select left_out from forum_member'],
      ['categories', 'select left_out from forum_tag where id % 2 = 0'],
      ['tags', 'select left_out from forum_tag where id % 2 <> 0'],
      ['topics', 'select left_out from forum_topic'],
      ['posts', 'select left_out from forum_post'],
      [
        'post_actions',
        `select case when post_action_type_id <> '2' then 'no likes' when deleted_at is not null then 'taken back'
           when user_id::bigint <= 0 or not exists (
             select from forum_post post where post.id = post_id::bigint and left_out is null)
             then 'of posts that are left out, or by the system' end
         from dump_post_actions`,
      ],
    ],
  });

/** Ids up to 0 are accounts of the system. Categories have even numbers as tags, tags have odd ones. */
async function fill(client: ClientBase, host: string): Promise<void> {
  await client.query(`
    analyze dump_users; analyze dump_topics; analyze dump_posts;
    insert into forum_member (line, id, name, bio, bio_format, email, identities, created, path, left_out)
    select 0, id::bigint, username, case when hidden.user_id is null then bio_raw end, 'markdown', email, identities, created_at::timestamptz, '/u/' || username,
      case when id::bigint <= 0 then 'accounts of the system' end
    from dump_users users
    left join (select user_id, max(bio_raw) as bio_raw from dump_user_profiles group by 1) profile on profile.user_id = users.id
    left join (
      select distinct user_id from dump_user_options where 't' in (hide_profile_and_presence, hide_profile)
    ) hidden on hidden.user_id = users.id
    left join (select user_id, max(email) as email from dump_user_emails where "primary" = 't' group by 1) address
      on address.user_id = users.id
    left join (
      -- The only provider of Discourse whose issuer is the same everywhere.
      select user_id, jsonb_agg(
        jsonb_build_object('issuer', 'https://accounts.google.com', 'subject', provider_uid) order by provider_uid
      ) as identities
      from dump_user_associated_accounts where provider_name = 'google_oauth2' and provider_uid <> '' group by 1
    ) linked on linked.user_id = users.id;
    insert into forum_tag (line, id, name, description, path, left_out)
    select 0, 2 * id::bigint, name, regexp_replace(description, '<[^>]*>', '', 'g'), '/c/' || slug || '/' || id,
      case when read_restricted = 't' then 'private categories' when name = 'Uncategorized' then 'for topics without a category' end
    from dump_categories;
    insert into forum_tag (line, id, name, description, path, left_out)
    select 0, 2 * id::bigint + 1, name, description, '/tag/' || name, case when target_tag_id is not null then 'synonyms'
      when exists (
        select from dump_tag_group_memberships grouped where grouped.tag_id = dump_tags.id and not exists (
          -- The group of everyone.
          select from dump_tag_group_permissions permission
          where permission.tag_group_id = grouped.tag_group_id and group_id = '0'))
        then 'tags that not everyone may see' end
    from dump_tags;`);
  await client.query(
    `insert into forum_topic (line, id, title, tags, tag_ids, author, created, views, lock_reason, path, accepted, left_out)
     select 0, topics.id::bigint, title, '{}',
       coalesce(array[2 * category_id::bigint], '{}') || coalesce(tagged.ids, '{}'), user_id::bigint, created_at::timestamptz,
       views::bigint, case when closed = 't' or archived = 't' then 'Closed on ' || $1::text end,
       '/t/' || coalesce(nullif(topics.slug, '') || '/', '') || topics.id, coalesce(solved.post, marked.post),
       case when archetype <> 'regular' then 'private messages' when deleted_at is not null then 'deleted'
         when visible = 'f' then 'unlisted' when category.read_restricted = 't' then 'in private categories'
         when exists (select from dump_categories described where described.topic_id = topics.id)
           then 'descriptions of categories' end
     from dump_topics topics
     left join dump_categories category on category.id = category_id
     left join (select topic_id, array_agg(2 * tag_id::bigint + 1 order by tag_id::bigint) as ids from dump_topic_tags group by 1)
       tagged on tagged.topic_id = topics.id
     left join (select topic_id, max(answer_post_id::bigint) as post from dump_discourse_solved_solved_topics group by 1)
       solved on solved.topic_id = topics.id
     left join (select topic_id, max(value::bigint) as post from dump_topic_custom_fields
       where name = 'accepted_answer_post_id' and value ~ '^[0-9]+$' group by 1) marked on marked.topic_id = topics.id`,
    [host],
  );
  await client.query(`
    create index dump_posts_number on dump_posts (topic_id, post_number);
    insert into forum_post (line, id, topic, number, author, author_name, created, edited, content, format, reply_to, path, left_out)
    select 0, posts.id::bigint, posts.topic_id::bigint, posts.post_number::int, posts.user_id::bigint, system.username,
      posts.created_at::timestamptz,
      case when posts.version::int > 1 then posts.last_version_at::timestamptz end, posts.raw, 'markdown', above.id::bigint,
      '/t/' || coalesce(nullif(topics.slug, '') || '/', '') || posts.topic_id || '/' || posts.post_number,
      case when posts.deleted_at is not null then 'deleted' when posts.user_deleted = 't' then 'deleted by their authors'
        when posts.hidden = 't' then 'hidden' when posts.post_type = '3' then 'notices of actions'
        when posts.post_type = '4' then 'whispers of the staff' end
    from dump_posts posts
    left join dump_topics topics on topics.id = posts.topic_id
    left join dump_users system on system.id = posts.user_id and system.id::bigint <= 0
    left join dump_posts above on above.topic_id = posts.topic_id and above.post_number = posts.reply_to_post_number;
    insert into forum_vote (post, member, created)
    select distinct on (post_id, user_id) post_id::bigint, user_id::bigint, created_at::timestamptz from dump_post_actions
    where post_action_type_id = '2' and deleted_at is null and user_id::bigint > 0 order by post_id, user_id, created_at;`);
}

/**
 * Replaces what Discourse's Markdown has of its own: uploads get the addresses under which Discourse serves them, pictures
 * lose their size, and quotes become those of Markdown.
 */
export function convertDiscourseText(text: string, site: string): string {
  return text
    .replaceAll(/upload:\/\/([\dA-Za-z]+(?:\.\w+)?)/gu, `${site}/uploads/short-url/$1`)
    .replaceAll(/!\[([^\]|\n]*)\|[^\]\n]*\]\(/gu, '![$1](')
    .replaceAll(/^\[quote(?:="([^",\n]*)[^"\n]*")?\]\n?([\s\S]*?)\n?\[\/quote\]$/gmu, quoteLines);
}

function quoteLines(_: string, author: string | undefined, quoted: string): string {
  const lines = quoted.split('\n').map((line) => `> ${line}`.trimEnd());
  return [...(author === undefined || author === '' ? [] : [`> **${author}**:`, '>']), ...lines, ''].join(
    '\n',
  );
}
