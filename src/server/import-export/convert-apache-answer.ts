import type { ClientBase } from 'pg';
import { convertDump, type DumpConverter, readDump } from './convert-dump.ts';
import type { ConvertOptions, ConvertSummary } from './convert.ts';
import { escapeForPath, idOf, timeOf } from './forum-sql.ts';
import type { DumpTables } from './sql-dump.ts';
import { cleanText } from './stack-exchange-characters.ts';
import { ArchiveError } from './stack-exchange-errors.ts';

/** The columns are those of Apache Answer's schema (internal/entity of apache/answer). */
const tables = {
  user: ['id', 'created_at', 'username', 'display_name', 'e_mail', 'status', 'bio', 'website', 'location'],
  tag: ['id', 'main_tag_id', 'slug_name', 'display_name', 'original_text', 'status'],
  tag_rel: ['id', 'object_id', 'tag_id', 'status'],
  question: [
    'id',
    'created_at',
    'updated_at',
    'user_id',
    'last_edit_user_id',
    'title',
    'original_text',
    'status',
    'show',
    'view_count',
    'accepted_answer_id',
  ],
  answer: [
    'id',
    'created_at',
    'updated_at',
    'question_id',
    'user_id',
    'last_edit_user_id',
    'original_text',
    'status',
  ],
  comment: [
    'id',
    'created_at',
    'user_id',
    'reply_comment_id',
    'object_id',
    'question_id',
    'original_text',
    'status',
  ],
  activity: ['user_id', 'object_id', 'activity_type', 'cancelled', 'created_at'],
  config: ['id', 'key'],
  meta: ['object_id', 'key', 'value'],
} satisfies DumpTables;

/**
 * Converts an SQL dump of the database of an Apache Answer: MySQL, PostgreSQL or SQLite.
 * @throws ArchiveError with the line of the first problem
 */
export const convertApacheAnswer = (options: ConvertOptions): Promise<ConvertSummary> =>
  convertDump(options, {
    product: 'Apache Answer',
    async read(client, file) {
      const remarks = await readTables(client, file);
      await checkObjectIds(client, file.name);
      return remarks;
    },
    async fill(client, host) {
      await fillMembersAndTags(client);
      await fillQuestions(client, host);
      await fillPosts(client);
      await fillVotes(client);
    },
    redirects: listRedirects(),
    convertContent: ({ content }, site) => ({
      content: convertApacheAnswerText(content, site),
      format: 'markdown',
    }),
    outcomes: [
      ['user', 'select left_out from forum_member'],
      ['tag', 'select left_out from forum_tag'],
      ['question', 'select left_out from forum_topic'],
      ['answer', reasonsOf('answer')],
      ['comment', reasonsOf('comment')],
      [
        'activity (votes)',
        `select case when cancelled <> '0' then 'taken back' when post.id is null then 'on posts that are left out' end
         from dump_activity activity join dump_config config on config.id = activity.activity_type and config.key in (${voteKeys})
         left join forum_post post on post.left_out is null and post.id = case
           when object_id ~ '^1[0-9]{16}$' then ${numberOf('object_id')} end`,
      ],
    ],
  });

const readTables = readDump('Apache Answer', { tables, required: ['user', 'question', 'config'] });

/** Uploads have addresses without a host if the site is configured so. */
export function convertApacheAnswerText(text: string, site: string): string {
  return cleanText(text).replaceAll(/(\]\(<?)(?=\/uploads\/)/gu, `$1${site}`);
}

/**
 * Ids of objects have 17 digits, more than a number of JSON can have: 1, the kind in three digits, and a number that all
 * kinds share (internal/repo/unique). The number becomes the id.
 */
const numberOf = (column: string) => `(substring(${column} from '^1[0-9]{3}([0-9]{13})$')::bigint)`;
const toObjectId = (kind: number, number: string) =>
  `('1' || lpad('${kind}', 3, '0') || lpad((${number})::text, 13, '0'))`;

async function checkObjectIds(client: ClientBase, name: string): Promise<void> {
  for (const table of ['question', 'answer', 'comment', 'tag']) {
    const { rows } = await client.query<{ id: string | null }>(
      `select id from dump_${table} where id is null or id !~ '^1[0-9]{16}$' limit 1`,
    );
    const [row] = rows;
    if (row !== undefined)
      throw new ArchiveError(
        `${name} is not a dump of Apache Answer: a row of ${table} has the id ${row.id}, not one such as 10010000000000012.`,
      );
  }
}

/** The title in an address does not matter to Apache Answer; that of an answer follows it. */
function listRedirects(): DumpConverter['redirects'] {
  const question = `'/questions/' || ${toObjectId(1, 'post.topic')}`;
  const slug = `trim(both '-' from regexp_replace(lower(topic.title), '[^[:alnum:]]+', '-', 'g'))`;
  const answer = toObjectId(2, 'coalesce(post.answer, post.id)');
  const isAnswer = 'not post.is_first and post.answer is null and not post.is_comment';
  return {
    topic: [],
    post: [
      `case when post.is_first then ${question} end`,
      `case when post.is_first then ${question} || '/*' end`,
      `case when ${isAnswer} then ${question} || '/' || ${answer} end`,
      `case when ${isAnswer} and ${slug} <> '' then ${question} || '/' || ${slug} || '/' || ${answer} end`,
      `case when post.is_comment or post.answer is not null then ${question}
        || case when post.is_comment then '' else '/' || ${answer} end || '?commentId=' || ${toObjectId(7, 'post.id')} end`,
    ],
    member: ['member.path'],
    tag: ['tag.path'],
  };
}

/** `status` of questions, answers and comments. */
const hiddenStatus = (row: string) =>
  `when ${row}.status = '10' then 'deleted' when ${row}.status = '11' then 'waiting for review'`;

async function fillMembersAndTags(client: ClientBase): Promise<void> {
  await client.query(`
    create index dump_question_id on dump_question (id);
    create index dump_answer_id on dump_answer (id);
    create index dump_comment_id on dump_comment (id);
    analyze dump_question; analyze dump_answer; analyze dump_comment; analyze dump_activity; analyze dump_tag_rel;
    insert into forum_member (line, id, name, bio, bio_format, email, location, website, created, path, left_out)
    select 0, id::bigint, coalesce(nullif(trim(display_name), ''), username), bio, 'markdown', e_mail, location, website,
      ${timeOf('created_at')}, '/users/' || ${escapeForPath('username')}, case when status = '10' then 'deleted' end
    from dump_user;
    insert into forum_tag (line, id, name, description, path, left_out)
    select 0, ${numberOf('id')}, coalesce(nullif(trim(display_name), ''), slug_name),
      trim(regexp_replace(original_text, '\\s+', ' ', 'g')), '/tags/' || ${escapeForPath('slug_name')},
      case when status = '10' then 'deleted' when main_tag_id ~ '[1-9]' then 'synonyms' end
    from dump_tag;`);
}

/** A question shows the tag that its tag is a synonym of. */
async function fillQuestions(client: ClientBase, host: string): Promise<void> {
  await client.query(
    `insert into forum_topic (line, id, title, tags, tag_ids, views, accepted, first_post, lock_reason, path, left_out)
     select 0, ${numberOf('question.id')}, coalesce(title, ''), '{}', coalesce(tagged.ids, '{}'), view_count::bigint,
       case when accepted_answer_id ~ '^1[0-9]{16}$' then ${numberOf('accepted_answer_id')} end, ${numberOf('question.id')},
       case when status = '2' then 'Closed on ' || $1::text || coalesce(': ' || nullif(left(trim(
         regexp_replace(reason, '\\s+', ' ', 'g')), 300), ''), '') end,
       '/questions/' || question.id, case ${hiddenStatus('question')} when show = '2' then 'unlisted' end
     from dump_question question
     left join (
       select object_id, array_agg(coalesce(
           case when main_tag_id ~ '^1[0-9]{16}$' then ${numberOf('main_tag_id')} end, ${numberOf('tag.id')}) order by rel.id::bigint) as ids
       from dump_tag_rel rel join dump_tag tag on tag.id = rel.tag_id where rel.status = '1' group by 1) tagged
       on tagged.object_id = question.id
     left join (
       select object_id, max(substring(value from '"close_msg"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")')::jsonb #>> '{}') as reason
       from dump_meta where key = 'question.close.reason' group by 1) closing on closing.object_id = question.id`,
    [host],
  );
}

/** A comment that replies to one that is left out belongs to the question or answer. */
async function fillPosts(client: ClientBase): Promise<void> {
  const edited = `case when last_edit_user_id ~ '[1-9]' then ${timeOf('updated_at')} end`;
  await client.query(`
    insert into forum_post (line, id, topic, author, created, edited, content, format, path, left_out)
    select 0, ${numberOf('id')}, ${numberOf('id')}, ${idOf('user_id')}, ${timeOf('created_at')}, ${edited},
      case when original_text ~ '\\S' then original_text else coalesce(title, '') end, 'markdown', '/questions/' || id,
      case ${hiddenStatus('question')} end
    from dump_question question;
    insert into forum_post (line, id, topic, author, created, edited, content, format, path, left_out)
    select 0, ${numberOf('id')}, coalesce(${numberOf('question_id')}, 0), ${idOf('user_id')}, ${timeOf('created_at')}, ${edited},
      coalesce(original_text, ''), 'markdown', '/questions/' || question_id || '/' || id, case ${hiddenStatus('answer')} end
    from dump_answer answer;
    insert into forum_post (
      line, id, topic, author, created, content, format, reply_to, is_thread, is_comment, path, left_out)
    select 0, ${numberOf('comment.id')}, coalesce(${numberOf('coalesce(answer.question_id, question.id)')}, 0), ${idOf('comment.user_id')},
      ${timeOf('comment.created_at')}, coalesce(comment.original_text, ''), 'markdown',
      case when above.id is not null then ${numberOf('above.id')} when answer.id is not null then ${numberOf('answer.id')} end,
      true, question.id is not null,
      '/questions/' || coalesce(answer.question_id || '/' || answer.id, question.id) || '?commentId=' || comment.id,
      case ${hiddenStatus('comment')} when coalesce(answer.id, question.id) is null then 'without a question or answer'
        when answer.status in ('10', '11') then 'on answers that are left out' end
    from dump_comment comment
    left join dump_answer answer on answer.id = comment.object_id
    left join dump_question question on question.id = comment.object_id
    left join dump_comment above on above.id = comment.reply_comment_id and above.object_id = comment.object_id
      and above.status = '1' and above.id < comment.id;`);
}

async function fillVotes(client: ClientBase): Promise<void> {
  await client.query(`
    insert into forum_vote (post, member, direction, created)
    select distinct on (object_id, user_id) ${numberOf('object_id')}, ${idOf('user_id')},
      case when config.key like '%.vote_up' then 'up' else 'down' end, ${timeOf('activity.created_at')}
    from dump_activity activity join dump_config config on config.id = activity.activity_type
    where config.key in (${voteKeys}) and cancelled = '0' and object_id ~ '^1[0-9]{16}$'
    order by object_id, user_id, activity.created_at desc;`);
}

/** The kinds of activities are numbered in the table config. */
const voteKeys = `'question.vote_up', 'question.vote_down', 'answer.vote_up', 'answer.vote_down', 'comment.vote_up'`;

const reasonsOf = (table: 'answer' | 'comment') =>
  `select left_out from forum_post post join dump_${table} source on post.id = ${numberOf('source.id')}`;
