import path from 'node:path';
import type { ClientBase } from 'pg';
import { convertDump } from './convert-dump.ts';
import type { ConvertOptions, ConvertSummary } from './convert.ts';
import { escapeForPath, idOf, millisecondsOf } from './forum-sql.ts';
import type { LineText } from './forum-texts.ts';
import { copyNodebbDump } from './nodebb-dump.ts';
import { cleanText } from './stack-exchange-characters.ts';
import { ArchiveError } from './stack-exchange-errors.ts';

/**
 * Converts the database of a NodeBB: a dump of PostgreSQL, or the collection `objects` of MongoDB as mongoexport writes it.
 * @throws ArchiveError with the line of the first problem
 */
export async function convertNodebb(options: ConvertOptions): Promise<ConvertSummary> {
  const { input, format = 'markdown' } = options;
  const summary = await convertDump(options, {
    product: 'NodeBB',
    async read(client, file) {
      await copyNodebbDump(client, file);
      return [];
    },
    async fill(client, host) {
      await createViews(client);
      await fill(client, host);
    },
    redirects: {
      topic: [`'/topic/' || topic.id`, `'/topic/' || topic.id || '/*'`, 'topic.path', `topic.path || '/*'`],
      post: [`'/post/' || post.id`],
      member: ['member.path', `'/uid/' || member.id`],
      tag: ['tag.path', `case when tag.id % 2 = 0 then '/category/' || tag.id / 2 end`],
    },
    convertContent: ({ content }, site) => convertNodebbText({ content, format }, site),
    outcomes: [
      ['users', 'select left_out from forum_member'],
      ['categories', 'select left_out from forum_tag where id % 2 = 0'],
      ['topics', 'select left_out from forum_topic'],
      ['posts', 'select left_out from forum_post'],
      [
        'votes',
        `select case when post.id is null then 'on posts that are left out' end
         from forum_vote vote left join forum_post post on post.id = vote.post and left_out is null`,
      ],
    ],
  });
  if (summary.files.every(({ read }) => read === 0))
    throw new ArchiveError(`${path.basename(input)} has no users, topics and posts of NodeBB.`);
  return summary;
}

/** Uploads have addresses without a host. */
export function convertNodebbText({ content, format }: LineText, site: string): LineText {
  const { origin } = new URL(site);
  const upload = /(\]\(<?|(?:src|href)=["'])(?=\/(?:[^\s)"'>]*\/)?assets\/uploads\/)/giu;
  return { content: cleanText(content).replaceAll(upload, `$1${origin}`), format };
}

/** The objects of each kind with their fields. */
async function createViews(client: ClientBase): Promise<void> {
  for (const kind of ['user', 'category', 'topic', 'post'])
    await client.query(`
      create temporary table nodebb_${kind} as
      select substr(_key, ${kind.length + 2})::bigint as id, data::jsonb as data from dump_legacy_hash
      where _key ~ '^${kind}:[1-9][0-9]{0,14}$';
      create index on nodebb_${kind} (id); analyze nodebb_${kind};`);
  await client.query(`
    create index on dump_legacy_zset (_key); create index on dump_legacy_set (_key);
    analyze dump_legacy_zset; analyze dump_legacy_set;`);
}

/** Members can read a category if one of these groups can. */
const isPrivate = (category: string) => `not exists (
  select from dump_legacy_zset granted where granted._key = 'group:cid:' || ${category} || ':privileges:groups:topics:read:members'
    and granted.value in ('registered-users', 'guests'))`;

/** Categories have even numbers as tags, tags odd ones. Guests have the number 0. */
async function fill(client: ClientBase, host: string): Promise<void> {
  const field = (name: string) => `data ->> '${name}'`;
  const reference = (name: string) => idOf(`(${field(name)})`);
  // NodeBB does not show their topics.
  const isDisabled = `coalesce(${field('disabled')} = '1', false)`;
  await client.query(`
    insert into forum_member (line, id, name, bio, bio_format, email, location, website, created, path)
    select 0, id, coalesce(${field('username')}, ''), ${field('aboutme')}, 'markdown', ${field('email')}, ${field('location')},
      ${field('website')}, ${millisecondsOf(`(${field('joindate')})`)},
      '/user/' || coalesce(${escapeForPath(field('userslug'))}, id::text)
    from nodebb_user;
    insert into forum_tag (line, id, name, description, path, left_out)
    select 0, 2 * id, coalesce(${field('name')}, ''), nullif(${field('description')}, ''),
      '/category/' || coalesce(${field('slug')}, id::text),
      case when ${isDisabled} then 'disabled' when ${isPrivate('id')} then 'private' end
    from nodebb_category;
    create temporary table nodebb_tags as
    select id, coalesce(nullif(string_to_array(${field('tags')}, ','), '{}'), (
      select array_agg(member order by member) from dump_legacy_set where _key = 'topic:' || id || ':tags'), '{}') as tags
    from nodebb_topic;
    insert into forum_tag (line, id, name, path)
    select 0, 2 * row_number() over (order by tag) + 1, tag, '/tags/' || ${escapeForPath('tag')}
    from (select distinct unnest(tags) as tag from nodebb_tags) used where tag ~ '\\S';`);
  await client.query(
    `insert into forum_topic (line, id, title, tags, tag_ids, author, created, views, accepted, first_post, lock_reason, path, left_out)
     select 0, topic.id, coalesce(${field('title')}, ''), tagged.tags,
       coalesce(array[2 * category.id], '{}'), ${reference('uid')}, ${millisecondsOf(`(${field('timestamp')})`)},
       case when ${field('viewcount')} ~ '^[0-9]{1,15}$' then (${field('viewcount')})::bigint end,
       case when ${field('isSolved')} = '1' then ${reference('solvedPid')} end, ${reference('mainPid')},
       case when ${field('locked')} = '1' then 'Closed on ' || $1::text end,
       '/topic/' || coalesce(${field('slug')}, topic.id::text),
       case when ${field('deleted')} = '1' then 'deleted'
         when ${millisecondsOf(`(${field('timestamp')})`)} > now() then 'scheduled'
         when category.is_disabled then 'in disabled categories' when category.is_private then 'in private categories' end
     from nodebb_topic topic join nodebb_tags tagged on tagged.id = topic.id
     left join (
       select id, ${isPrivate('id')} as is_private, ${isDisabled} as is_disabled from nodebb_category
     ) category on category.id = ${reference('cid')}`,
    [host],
  );
  await client.query(`
    insert into forum_post (line, id, topic, author, author_name, created, edited, content, format, reply_to, path, left_out)
    select 0, id, coalesce(${reference('tid')}, 0), ${reference('uid')},
      case when ${reference('uid')} is null then nullif(${field('handle')}, '') end,
      ${millisecondsOf(`(${field('timestamp')})`)}, ${millisecondsOf(`(${field('edited')})`)},
      coalesce(${field('content')}, ''), 'markdown', ${reference('toPid')}, '/post/' || id,
      case when ${field('deleted')} = '1' then 'deleted' end
    from nodebb_post;
    insert into forum_vote (post, member, direction, created)
    select distinct on (value, split_part(_key, ':', 2)) value::bigint, split_part(_key, ':', 2)::bigint,
      split_part(replace(_key, 'vote', ''), ':', 3), ${millisecondsOf(`split_part(score, '.', 1)`)}
    from dump_legacy_zset where _key ~ '^uid:[1-9][0-9]{0,14}:(up|down)vote$' and value ~ '^[1-9][0-9]{0,14}$'
    order by value, split_part(_key, ':', 2), score;`);
}
