import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { email } from '#shared/identity/accounts.ts';
import { tagKey } from '#shared/core/text.ts';
import { limits } from '#shared/core/limits.ts';
import { runWithProgress } from '#server/core/progress.ts';
import { parseWebsite } from '#server/core/websites.ts';
import { normalizeTag, normalizeTags } from '#shared/posts/tags.ts';
import type { ConvertOptions } from './convert.ts';
import type { LineText } from './forum-texts.ts';
import { kindOfPost } from './forum-tables.ts';
import { readBatches } from './read-batches.ts';
import { ArchiveError } from './stack-exchange-errors.ts';
import { parseSiteName } from './stack-exchange-site.ts';

export type WrittenCounts = Record<
  'members' | 'tags' | 'questions' | 'answers' | 'replies' | 'votes' | 'redirects',
  number
> & {
  /** For sources whose dump has them. */
  pictures?: number;
};

/** Rows that are read at once. */
const batchSize = 1_000;

/** Writes one file of JSON lines, with backpressure. */
export class LineWriter {
  readonly #stream;
  readonly #done: Promise<void>;
  rows = 0;

  constructor(directory: string, name: string) {
    this.#stream = createWriteStream(path.join(directory, name), { flags: 'wx' });
    this.#done = finished(this.#stream);
    // Awaited below. Until then, a failure must not count as an unhandled rejection.
    this.#done.catch(() => {});
  }

  async write(rows: readonly object[]): Promise<void> {
    if (rows.length === 0) return;
    this.rows += rows.length;
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    if (!this.#stream.write(text)) await Promise.race([once(this.#stream, 'drain'), this.#done]);
  }

  async end(): Promise<number> {
    this.#stream.end();
    await this.#done;
    return this.rows;
  }
}

/** `site` is the address of the forum without a slash at the end. */
type FileRequest = Pick<ConvertOptions, 'client' | 'directory' | 'writing' | 'signal'> & {
  site: string;
  /** Changes the texts of posts and members; without it, they are Markdown or HTML. */
  convertContent?: (text: { content: string; format: string }) => LineText;
};

/**
 * Returns the address of a forum without a slash at the end.
 * @throws ArchiveError if it is none
 */
export function parseForumSite(site: string | undefined): string {
  const url = URL.parse(site ?? '');
  if (url === null || !/^https?:$/u.test(url.protocol) || parseSiteName(url.hostname) === null)
    throw new ArchiveError('Name the address of the forum with "--site https://forum.example.org".');
  return url.href.replace(/\/+$/u, '');
}

/** Writes the rows of the tables of forum-tables.ts that are not left out, in bounded memory. */
export async function writeForum(request: FileRequest): Promise<WrittenCounts> {
  const { client, writing: progress, signal } = request;
  await client.query('begin read only');
  try {
    return await runWithProgress({ progress, signal }, await countRows(client), (report) =>
      writeFiles(request, (file, rows) => report(file, rows, rows)),
    );
  } finally {
    await client.query('rollback');
  }
}

async function writeFiles(request: FileRequest, onRows: OnRows): Promise<WrittenCounts> {
  const tags = await writeTags(request, onRows);
  const write = (name: string, sql: string, toLine: (row: Row) => object) =>
    copyTo({ ...request, onRows }, { name, sql, toLine });
  return {
    members: await write('members.jsonl', memberSql, (row) => toMember(row, request)),
    tags: tags.rows,
    questions: await write('questions.jsonl', questionSql, (row) => toQuestion(row, tags.names, request)),
    answers: await write('answers.jsonl', answerSql, (row) => toAnswer(row, request)),
    replies: await write('replies.jsonl', replySql, (row) => toAnswer(row, request)),
    votes: await write('votes.jsonl', voteSql, toVote),
    redirects: await write('redirects.jsonl', redirectSql, (row) => toRedirect(row, tags.names)),
  };
}

type Row = Record<string, unknown>;
type OnRows = (file: string, rows: number) => void;

async function countRows(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ rows: number }>(`
    select (
      (select count(*) from forum_member where left_out is null) + (select count(*) from forum_tag where left_out is null)
      + (select count(*) from forum_topic where left_out is null)
      + (select count(*) from forum_post where left_out is null and not is_first)
      + (select count(*) from (${voteSql}) vote) + (select count(distinct address) from forum_redirect))::int as rows`);
  return rows[0]?.rows ?? 0;
}

async function copyTo(
  { client, directory, onRows }: FileRequest & { onRows: OnRows },
  { name, sql, toLine }: { name: string; sql: string; toLine: (row: Row) => object },
): Promise<number> {
  const file = new LineWriter(directory, name);
  for await (const rows of readBatches<Row>(client, sql, batchSize)) {
    await file.write(rows.map(toLine));
    onRows(name, rows.length);
  }
  return file.end();
}

const author = (row: string) => `
  case when exists (select from forum_member where forum_member.id = ${row}.author and left_out is null)
    then ${row}.author end as "authorId", ${row}.author_name as "authorName"`;

const times = (row: string) => `${row}.created as "createdAt", ${row}.edited as "editedAt"`;

const memberSql = `
  select id, name, bio, bio_format as format, email, location, website, identities, created as "createdAt", path
  from forum_member where left_out is null order by id`;

const questionSql = `
  select topic.id, topic.title, topic.tags, topic.tag_ids as "tagIds", topic.views, topic.lock_reason as "lockReason",
    (select other.id from forum_topic other
      where other.id = topic.duplicate_of and other.id <> topic.id and other.left_out is null) as "duplicateOf",
    topic.path, coalesce(topic.content, first.content) as content, coalesce(topic.format, first.format) as format,
    coalesce(topic.upvotes, first.upvotes) as upvotes, coalesce(topic.downvotes, first.downvotes) as downvotes,
    coalesce(topic.created, first.created) as "createdAt", coalesce(topic.edited, first.edited) as "editedAt",
    (select answer.id from forum_post answer
      where answer.id = topic.accepted and answer.topic = topic.id and answer.left_out is null
        and not answer.is_first and answer.answer is null and not answer.is_comment) as "acceptedAnswerId",
    case when exists (select from forum_member where forum_member.id = coalesce(topic.author, first.author)
      and left_out is null) then coalesce(topic.author, first.author) end as "authorId",
    coalesce(topic.author_name, first.author_name) as "authorName"
  from forum_topic topic left join forum_post first on first.topic = topic.id and first.is_first
  where topic.left_out is null order by topic.id`;

const postColumns = `
  post.id, post.topic as "questionId", post.path, post.content, post.format, post.upvotes, post.downvotes,
  ${times('post')}, ${author('post')}`;

const answerSql = `
  select ${postColumns} from forum_post post
  where left_out is null and not is_first and answer is null and not is_comment order by id`;

const replySql = `
  select ${postColumns}, post.answer as "answerId",
    case when post.is_comment then (
      select above.id from forum_post above
      where above.id = post.reply_to and above.topic = post.topic and above.is_comment and above.left_out is null)
    else nullif(post.reply_to, post.answer) end as "parentReplyId"
  from forum_post post where left_out is null and (answer is not null or is_comment) order by id`;

const voteSql = `
  select ${kindOfPost} as post, case when post.is_first then post.topic else post.id end as "postId",
    (select member.id from forum_member member where member.id = vote.member and member.left_out is null) as "memberId",
    vote.direction as vote, vote.created as "createdAt"
  from forum_vote vote join forum_post post on post.id = vote.post and post.left_out is null
  order by post.id, vote.member`;

const redirectSql = `
  select distinct on (address) address as from, kind, id from forum_redirect order by address`;

/** The fields that have a value. Numbers of PostgreSQL's type bigint are strings. */
function pick(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(
    fields
      .map((field) => [field, row[field]] as const)
      .filter(([, value]) => value !== null && value !== undefined && value !== ''),
  );
}

const numbers = new Set([
  'id',
  'questionId',
  'answerId',
  'parentReplyId',
  'acceptedAnswerId',
  'duplicateOf',
  'authorId',
  'memberId',
  'postId',
  'views',
  'upvotes',
  'downvotes',
]);

function withNumbers(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([field, value]) => [field, numbers.has(field) ? Number(value) : value]),
  );
}

const postFields = ['id', 'authorId', 'authorName', 'upvotes', 'downvotes', 'createdAt', 'editedAt'];

const toMember = (row: Row, request: FileRequest) => ({
  ...withNumbers(pick(row, ['id', 'name', 'createdAt'])),
  ...toBio(row, request),
  ...toPlace(row),
  ...(email.safeParse(row['email']).success && { email: row['email'] }),
  ...(Array.isArray(row['identities']) && { identities: row['identities'] }),
  ...toUrl(row, request),
});

const toQuestion = (row: Row, names: ReadonlyMap<string, string>, request: FileRequest) => ({
  ...toPost(row, request),
  ...withNumbers(pick(row, ['title', 'views', 'acceptedAnswerId', 'duplicateOf', 'lockReason'])),
  tags: chooseTags(row, names),
});

const toAnswer = (row: Row, request: FileRequest) => ({
  ...toPost(row, request),
  ...withNumbers(pick(row, ['questionId', 'answerId', 'parentReplyId'])),
});

function toPost(row: Row, request: FileRequest): Row {
  return {
    ...withNumbers(pick(row, postFields)),
    ...toText(row['content'], row['format'], request),
    ...toUrl(row, request),
  };
}

function toText(content: unknown, format: unknown, { convertContent }: FileRequest): Partial<LineText> {
  const text = {
    content: typeof content === 'string' ? content : '',
    format: typeof format === 'string' ? format : 'markdown',
  };
  return convertContent?.(text) ?? { ...text, format: text.format === 'html' ? 'html' : 'markdown' };
}

function toBio(row: Row, request: FileRequest): { bio?: string | undefined; format?: string | undefined } {
  if (typeof row['bio'] !== 'string' || row['bio'] === '') return {};
  const { content, format } = toText(row['bio'], row['format'], request);
  return { bio: content, format };
}

function toPlace({ location, website }: Row): { location?: string; website?: string } {
  return {
    ...(typeof location === 'string' &&
      location.trim() !== '' && { location: Array.from(location.trim()).slice(0, limits.location).join('') }),
    ...(typeof website === 'string' && parseWebsite(website) !== null && { website }),
  };
}

const toVote = (row: Row) => withNumbers(pick(row, ['post', 'postId', 'memberId', 'vote', 'createdAt']));

const redirectFields: Readonly<Record<string, string>> = {
  question: 'questionId',
  answer: 'answerId',
  reply: 'replyId',
  member: 'memberId',
};

function toRedirect({ from, kind, id }: Row, names: ReadonlyMap<string, string>): object {
  const field = redirectFields[String(kind)];
  return { from, ...(field === undefined ? { tag: names.get(String(id)) } : { [field]: Number(id) }) };
}

function toUrl({ path: page }: Row, { site }: FileRequest): { url?: string } {
  return typeof page === 'string' ? { url: `${site}${page}` } : {};
}

/** The first tags of a question that fit. */
function chooseTags(row: Row, names: ReadonlyMap<string, string>): string[] {
  const ofIds = (row['tagIds'] as string[]).flatMap((id) => names.get(id) ?? []);
  return normalizeTags([...ofIds, ...(row['tags'] as string[])].map(shorten)).slice(
    0,
    limits.tagsPerQuestion,
  );
}

const shorten = (tag: string) => Array.from(normalizeTag(tag)).slice(0, limits.tag).join('').trim();

/** Writes the tags of the forum. Returns their names by id; tags of the same name are one. */
async function writeTags(
  request: FileRequest,
  onRows: OnRows,
): Promise<{ rows: number; names: Map<string, string> }> {
  const names = new Map<string, string>();
  const keys = new Set<string>();
  const file = new LineWriter(request.directory, 'tags.jsonl');
  const sql = 'select id, name, description from forum_tag where left_out is null order by id';
  for await (const rows of readBatches<Row>(request.client, sql, batchSize)) {
    for (const row of rows) {
      const name = shorten(String(row['name']));
      if (name === '') continue;
      names.set(String(row['id']), name);
      if (keys.has(tagKey(name))) continue;
      keys.add(tagKey(name));
      const description = Array.from((row['description'] as string | null) ?? '')
        .slice(0, limits.tagDescription)
        .join('');
      await file.write([{ name, ...(description !== '' && { description }) }]);
    }
    onRows('tags.jsonl', rows.length);
  }
  return { rows: await file.end(), names };
}
