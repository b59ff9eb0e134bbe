import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ClientBase } from 'pg';
import { convertDump } from './convert-dump.ts';
import type { ConvertOptions, ConvertReport, ConvertSummary } from './convert.ts';
import { escapeForPath, idOf, remarkOtherTables, timeOf } from './forum-sql.ts';
import { reportRows } from './forum-tables.ts';
import { hasPictureSignature } from '#server/posts/index.ts';
import { limits } from '#shared/core/limits.ts';
import { convertText, type LineText } from './forum-texts.ts';
import { LineWriter } from './forum-writer.ts';
import { copyDump, type DumpTables } from './sql-dump.ts';
import { cleanText } from './stack-exchange-characters.ts';
import { ArchiveError } from './stack-exchange-errors.ts';

/** The columns are those of Question2Answer 1.8 (qa_db_table_definitions() in qa-include/db/install.php). */
const tables = {
  users: ['userid', 'created', 'email', 'handle'],
  userprofile: ['userid', 'title', 'content'],
  categories: ['categoryid', 'title', 'content', 'backpath'],
  posts: [
    'postid',
    'type',
    'parentid',
    'categoryid',
    'selchildid',
    'closedbyid',
    'userid',
    'views',
    'format',
    'created',
    'updated',
    'updatetype',
    'title',
    'content',
    'tags',
    'name',
  ],
  uservotes: ['postid', 'userid', 'vote', 'votecreated'],
  blobs: ['blobid', 'format', 'content', 'userid'],
} satisfies DumpTables;

/** Of tables, unless qa-config.php has another QA_MYSQL_TABLE_PREFIX. */
const defaultPrefix = 'qa_';

/**
 * Converts an SQL dump of the MySQL database of a Question2Answer.
 * @throws ArchiveError with the line of the first problem
 */
export async function convertQuestion2Answer(options: ConvertOptions): Promise<ConvertSummary> {
  const { client, directory, prefix = defaultPrefix, signal } = options;
  let blobs = new Map<string, string>();
  let hasBlobs = false;
  const shown = new Set<string>();
  const showPicture = (id: string) => {
    const file = blobs.get(id);
    if (file !== undefined) shown.add(id);
    return file;
  };
  const { files, written, ...summary } = await convertDump(options, {
    product: 'Question2Answer',
    async read(connection, { file, name, onRead }) {
      const found = await copyDump(connection, file, {
        tables,
        prefix,
        binaryColumns: ['blobs.content'],
        onRead,
      });
      checkTables(name, { prefix, found });
      hasBlobs = found.has(`${prefix}blobs`);
      return listRemarks(found, prefix);
    },
    async fill(connection, host) {
      await fill(connection, host);
      blobs = await listPictures(connection);
    },
    // The title in an address does not matter to Question2Answer. All but the latest addresses are those of the default
    // format.
    redirects: {
      topic: [`'/' || topic.id`, `'/' || topic.id || '/*'`],
      post: ['', '/*'].map((rest) => `'/' || post.topic || '${rest}?show=' || post.id`),
      member: ['member.path'],
      tag: ['tag.path'],
    },
    convertContent: (text, site) => convertQuestion2AnswerText(text, { site, showPicture }),
    outcomes: [
      ['users', 'select left_out from forum_member'],
      ['categories', 'select left_out from forum_tag where id % 2 = 0'],
      ['posts', 'select left_out from forum_post'],
      [
        'uservotes',
        `select case when vote not in ('1', '-1') then 'no votes' when post.id is null then 'on posts that are left out' end
         from dump_uservotes left join forum_post post on post.id = postid::bigint and left_out is null`,
      ],
    ],
  });
  const pictures = await writePictures(client, { directory, files: blobs, shown, signal });
  return {
    ...summary,
    files: hasBlobs ? [...files, await reportBlobs(client, shown)] : files,
    written: { ...written, ...(pictures > 0 && { pictures }) },
  };
}

function checkTables(name: string, { prefix, found }: { prefix: string; found: ReadonlySet<string> }): void {
  if (found.has(`${prefix}posts`)) return;
  const others = [...found].filter((table) => table.endsWith('posts')).map((table) => table.slice(0, -5));
  throw new ArchiveError(
    `${name} has no rows of a table ${prefix}posts of Question2Answer.` +
      (others.length === 0 ? '' : ` Is "--prefix ${others.join('" or "--prefix ')}" meant?`),
  );
}

function listRemarks(found: ReadonlySet<string>, prefix: string): string[] {
  return [
    ...(found.has(`${prefix}users`)
      ? []
      : [`the dump has no table ${prefix}users: the posts are by their names or by 'Former member'`]),
    ...remarkOtherTables(found, tables, prefix),
  ];
}

/** Texts that Question2Answer stores without a format are plain; editors store HTML, a plugin Markdown. */
export function convertQuestion2AnswerText(
  { content, format }: { content: string; format: string },
  { site, showPicture }: { site: string; showPicture: (id: string) => string | undefined },
): LineText {
  // Pictures of the editor have addresses such as './?qa=blob&amp;qa_blobid=12', with or without that of the site.
  const withPictures = (text: string) =>
    text.replaceAll(blobAddress, (address, before: string, start: string, query: string, id?: string) => {
      const [, host, page = ''] = /^(?:https?:(\/\/[^/]+))?(.*)$/iu.exec(start) ?? [];
      if (host !== undefined && `${host}${page}` !== `${site.replace(/^https?:/u, '')}/`) return address;
      if (host === undefined && !/^(?:\.{0,2}\/)*$/u.test(page)) return address;
      const file = id === undefined ? undefined : showPicture(id);
      return `${before}${file === undefined ? `${site}/${query}` : `pictures/${file}`}`;
    });
  if (format === 'markdown') return { content: withPictures(content), format };
  const text = convertText(cleanText(content), format === 'html' ? 'html' : 'plain');
  return format === 'html' ? { ...text, content: withPictures(text.content) } : text;
}

/** In an attribute of HTML, or the address of a link in Markdown. */
const blobAddress =
  /((?:src|href)=["']|\]\()([^"'\s()<>?]{0,300})(\?qa=blob&(?:amp;)?(?:qa_blobid=(\d{1,20})(?=["'\s)]))?)/giu;

/** What the import can read. The bytes can be others than the format says. */
const pictureFormats = ['png', 'gif', 'jpg', 'jpeg', 'webp'];

/**
 * The names of the files of pictures that the import can read, by their number, and the table `picture_blob` of these.
 * Blobs whose content is in files of the site have none.
 */
async function listPictures(client: ClientBase): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string; format: string; start: string }>(
    `select blobid as id, format, left(content, 24) as start from dump_blobs
     where format = any($1::text[]) and length(content) between 1 and $2`,
    [pictureFormats, 2 * limits.uploadBytes],
  );
  const pictures = rows.filter(({ start }) => hasPictureSignature(Buffer.from(start, 'hex')));
  await client.query('create temporary table picture_blob as select unnest($1::text[]) as id', [
    pictures.map(({ id }) => id),
  ]);
  return new Map(pictures.map(({ id, format }) => [id, `${id}.${format}`]));
}

/** Writes the pictures that the texts show, one at a time. */
async function writePictures(
  client: ClientBase,
  {
    directory,
    files,
    shown,
    signal,
  }: {
    directory: string;
    files: ReadonlyMap<string, string>;
    shown: ReadonlySet<string>;
    signal: AbortSignal | undefined;
  },
): Promise<number> {
  if (shown.size === 0) return 0;
  await mkdir(path.join(directory, 'pictures'));
  await client.query('create index on dump_blobs (blobid)');
  const lines = new LineWriter(directory, 'pictures.jsonl');
  for (const id of shown) {
    signal?.throwIfAborted();
    const { rows } = await client.query<{ content: string; author: string | null }>(
      `select content, (select id from forum_member where id = ${idOf('userid')} and left_out is null) as author
       from dump_blobs where blobid = $1 limit 1`,
      [id],
    );
    const [picture] = rows;
    const name = files.get(id);
    if (picture === undefined || name === undefined) continue;
    await writeFile(path.join(directory, 'pictures', name), Buffer.from(picture.content, 'hex'), {
      flag: 'wx',
    });
    await lines.write([{ name, ...(picture.author !== null && { memberId: Number(picture.author) }) }]);
  }
  return lines.end();
}

async function reportBlobs(client: ClientBase, shown: ReadonlySet<string>): Promise<ConvertReport> {
  await client.query('create temporary table shown_blob as select unnest($1::text[]) as id', [[...shown]]);
  return reportRows(
    client,
    'blobs',
    `select case when coalesce(content, '') = '' then 'in files of the site' when blobid not in (select id from picture_blob) then 'no pictures, or larger than 10 MB'
       when blobid not in (select id from shown_blob) then 'not shown in texts' end
     from dump_blobs`,
  );
}

/** Questions, answers and comments are numbered together. Categories have even numbers as tags, tags odd ones. */
async function fill(client: ClientBase, host: string): Promise<void> {
  await client.query(`
    create index dump_posts_id on dump_posts (postid);
    analyze dump_users; analyze dump_posts; analyze dump_uservotes;
    insert into forum_member (line, id, name, bio, bio_format, email, location, website, created, path)
    select 0, userid::bigint, handle, about, 'plain', email, location, website, ${timeOf('created')},
      '/user/' || ${escapeForPath('handle')}
    from dump_users left join (
      select userid as owner, max(content) filter (where title = 'about') as about,
        max(content) filter (where title = 'location') as location, max(content) filter (where title = 'website') as website
      from dump_userprofile group by 1) profile on owner = userid;
    insert into forum_tag (line, id, name, description, path)
    select 0, 2 * categoryid::bigint, coalesce(title, ''), nullif(content, ''), '/questions/' || (
      select string_agg(${escapeForPath('slug')}, '/' order by position desc)
      from unnest(string_to_array(backpath, '/')) with ordinality as part (slug, position))
    from dump_categories;
    insert into forum_tag (line, id, name, path)
    select 0, 2 * row_number() over (order by tag) + 1, tag, '/tag/' || ${escapeForPath('tag')}
    from (select distinct unnest(string_to_array(tags, ',')) as tag from dump_posts where type = 'Q') used where tag ~ '\\S';`);
  await client.query(
    `insert into forum_topic (line, id, title, tags, tag_ids, views, accepted, first_post, duplicate_of, lock_reason, path, left_out)
     select 0, post.postid::bigint, coalesce(post.title, ''), coalesce(string_to_array(post.tags, ','), '{}'),
       case when post.categoryid is null then '{}' else array[2 * post.categoryid::bigint] end, post.views::bigint,
       post.selchildid::bigint, post.postid::bigint, case when closing.type = 'Q' then closing.postid::bigint end,
       case when post.closedbyid is not null and closing.type is distinct from 'Q' then
         'Closed on ' || $1::text || coalesce(': ' || nullif(left(trim(regexp_replace(
           case when closing.type in ('NOTE', 'C') then closing.content end, '\\s+', ' ', 'g')), 300), ''), '') end,
       '/' || post.postid || '/' || coalesce(
         nullif(trim(both '-' from regexp_replace(lower(post.title), '[^[:alnum:]]+', '-', 'g')), ''), '-'),
       case post.type when 'Q_HIDDEN' then 'hidden' when 'Q_QUEUED' then 'waiting for approval' end
     from dump_posts post left join dump_posts closing on closing.postid = post.closedbyid
     where post.type in ('Q', 'Q_HIDDEN', 'Q_QUEUED')`,
    [host],
  );
  await client.query(`
    insert into forum_post (
      line, id, topic, author, author_name, created, edited, content, format, reply_to, is_thread, is_comment, path, left_out)
    select 0, post.postid::bigint, coalesce(question.postid, post.postid)::bigint, ${idOf('post.userid')},
      case when post.userid is null then nullif(post.name, '') end,
      ${timeOf('post.created')},
      case when post.updatetype = 'E' then ${timeOf('post.updated')} end,
      -- A question can have only a title.
      case when post.type = 'Q' and coalesce(post.content, '') !~ '\\S' then coalesce(post.title, '') else coalesce(post.content, '') end,
      case when post.format in ('html', 'markdown') then post.format else 'plain' end,
      case when post.type like 'C%' and above.type like 'A%' then above.postid::bigint end,
      post.type like 'C%', post.type like 'C%' and above.type like 'Q%',
      '/' || question.postid || case when post.type like 'Q%' then '' else '?show=' || post.postid end,
      case when post.type like '%_HIDDEN' then 'hidden' when post.type like '%_QUEUED' then 'waiting for approval'
        when post.type = 'NOTE' then 'reasons of closings' when question.postid is null then 'without a question'
        when post.type like 'C%' and above.type in ('A_HIDDEN', 'A_QUEUED') then 'on answers that are left out' end
    from dump_posts post
    left join dump_posts above on above.postid = post.parentid and post.type not like 'Q%'
    left join dump_posts question on question.type like 'Q%' and question.postid = case
      when post.type like 'Q%' then post.postid when above.type like 'Q%' then above.postid else above.parentid end;
    insert into forum_vote (post, member, direction, created)
    select postid::bigint, ${idOf('userid')}, case when vote = '1' then 'up' else 'down' end, ${timeOf('votecreated')}
    from dump_uservotes where vote in ('1', '-1');`);
}
