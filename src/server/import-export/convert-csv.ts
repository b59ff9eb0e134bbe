import path from 'node:path';
import type { ClientBase } from 'pg';
import { email as emailSchema } from '#shared/identity/accounts.ts';
import { type CopyCell, copyRows } from './copy-rows.ts';
import { type CsvMapping, type CsvSection, readMapping } from './csv-mapping.ts';
import { type CsvRow, readCsv } from './csv-rows.ts';
import { type ConvertOptions, type ConvertSummary, readWithProgress } from './convert.ts';
import {
  addForumRedirects,
  arrangePosts,
  createForumTables,
  indexForumTables,
  reportTable,
} from './forum-tables.ts';
import { convertText } from './forum-texts.ts';
import { createTimeReader } from './forum-times.ts';
import { writeForum } from './forum-writer.ts';
import { lineError } from './jsonl-files.ts';
import type { ArchiveError } from './stack-exchange-errors.ts';
import { cleanLine, cleanText, decodeCharacterReferences } from './stack-exchange-characters.ts';

/**
 * Converts the CSV files that a mapping file names.
 * @throws ArchiveError with the file and line of the first problem
 */
export async function convertCsv(request: ConvertOptions): Promise<ConvertSummary> {
  const { client, input } = request;
  const options = await readMapping(input);
  await createForumTables(client);
  const reader = createReader(options);
  const sections = kinds.flatMap((kind): [Kind, CsvSection][] => {
    const section = options[kind];
    return section === undefined ? [] : [[kind, section]];
  });
  const files = sections.map(([, { file }]) => path.resolve(path.dirname(input), file));
  await readWithProgress(request, files, async (report) => {
    for (const [kind, section] of sections) {
      const { columns, toCells } = copies[kind];
      const name = path.basename(section.file);
      const source = {
        directory: path.dirname(input),
        section,
        options,
        onBytes: (bytes: number) => report(name, bytes, 0),
      };
      for await (const rows of readCsv(source)) {
        const cells = rows.map((row) => [
          row.line,
          row.leftOut,
          ...toCells(new Fields(row, section, reader)),
        ]);
        await copyRows(client, columns, cells);
        report(name, 0, rows.length);
      }
    }
  });
  await indexForumTables(client);
  await checkIds(client, options);
  await arrangePosts(client);
  await addRedirects(client, options);
  const written = await writeForum({ ...request, site: options.site });
  const reports = [];
  for (const [kind, { file }] of sections)
    reports.push(await reportTable(client, tables[kind], path.basename(file)));
  return { site: options.site, files: reports, written, remarks: reader.listRemarks() };
}

const kinds = ['members', 'tags', 'topics', 'posts'] as const;
type Kind = (typeof kinds)[number];

const tables = {
  members: 'forum_member',
  tags: 'forum_tag',
  topics: 'forum_topic',
  posts: 'forum_post',
} as const;

type Reader = ReturnType<typeof createReader>;

function createReader(options: CsvMapping) {
  let badAddresses = 0;
  return {
    options,
    readTime: createTimeReader(options.dateFormat),
    countBadAddress: () => void badAddresses++,
    listRemarks: () =>
      badAddresses === 0 ? [] : [`${badAddresses} email addresses are not valid and were left out`],
  };
}

/** Reads the values of a row; a problem names file, line and column. */
class Fields {
  readonly #row: CsvRow;
  readonly #section: CsvSection;
  readonly #reader: Reader;

  constructor(row: CsvRow, section: CsvSection, reader: Reader) {
    this.#row = row;
    this.#section = section;
    this.#reader = reader;
  }

  /** Null for a value that is empty or not mapped. */
  #read(field: string): string | null {
    const value = this.#row.values[field]?.trim() ?? '';
    return ['', String.raw`\N`, 'NULL'].includes(value) ? null : value;
  }

  #fail(field: string, problem: string): ArchiveError {
    const value = this.#row.values[field] ?? '';
    const shown = value.length > 40 ? `${value.slice(0, 40)}…` : value;
    const column = this.#section.columns[field] ?? field;
    return lineError(
      path.basename(this.#section.file),
      this.#row.line,
      `column "${column}": ${value === '' ? 'the value' : `"${shown}"`} ${problem}`,
    );
  }

  #number(field: string, min: number): number | null {
    const value = this.#read(field);
    if (value === null) return null;
    const number = Number(value);
    if (/^-?\d+$/u.test(value) && Number.isSafeInteger(number) && number >= min) return number;
    throw this.#fail(field, `is not a whole number from ${min}`);
  }

  id(field: string): number {
    const number = this.#number(field, 1);
    if (number === null) throw this.#fail(field, 'is not a whole number from 1');
    return number;
  }

  /** 0 is no id, as in most forums. */
  reference(field: string): number | null {
    return this.#number(field, 0) || null;
  }

  count(field: string): number | null {
    return this.#number(field, 0);
  }

  time(field: string): string | null {
    const value = this.#read(field);
    // 0 is no time, as for posts that were never edited.
    if (value === null || /^[0:. -]+$/u.test(value)) return null;
    const time = this.#reader.readTime(value);
    if (time !== null) return time;
    throw this.#fail(
      field,
      `is not a time${this.#reader.options.dateFormat === undefined ? ' (a "dateFormat" in the mapping names other forms)' : ` of the form ${this.#reader.options.dateFormat}`}`,
    );
  }

  line(field: string): string | null {
    const value = this.#read(field);
    if (value === null) return null;
    return cleanLine(this.#reader.options.htmlEntities ? decodeCharacterReferences(value) : value);
  }

  email(field: string): string | null {
    const value = this.#read(field);
    if (value === null) return null;
    const parsed = emailSchema.safeParse(value);
    if (parsed.success) return parsed.data;
    this.#reader.countBadAddress();
    return null;
  }

  /** A text and its format, each null without one. */
  text(field: string): [content: string | null, format: string | null] {
    if (this.#read(field) === null) return [null, null];
    const { content, format } = convertText(
      cleanText(this.#row.values[field] ?? ''),
      this.#reader.options.format,
    );
    return [content, format];
  }

  tags(field: string): string[] {
    return (this.line(field) ?? '')
      .split(this.#reader.options.tagSeparator)
      .filter((tag) => tag.trim() !== '');
  }
}

const copies: Record<Kind, { columns: string; toCells: (fields: Fields) => CopyCell[] }> = {
  members: {
    columns: 'forum_member (line, left_out, id, name, bio, bio_format, email, created)',
    toCells: (row) => [
      row.id('id'),
      row.line('name') ?? '',
      ...row.text('bio'),
      row.email('email'),
      row.time('createdAt'),
    ],
  },
  tags: {
    columns: 'forum_tag (line, left_out, id, name, description)',
    toCells: (row) => [row.id('id'), row.line('name') ?? '', row.line('description')],
  },
  topics: {
    columns:
      'forum_topic (line, left_out, id, title, content, format, tags, tag_ids, author, author_name, created, edited, views, ' +
      'upvotes, downvotes, first_post, accepted)',
    toCells: (row) => [
      row.id('id'),
      row.line('title') ?? '',
      ...row.text('content'),
      row.tags('tags'),
      [row.reference('tagId')].flatMap((id) => (id === null ? [] : [String(id)])),
      row.reference('authorId'),
      row.line('authorName'),
      row.time('createdAt'),
      row.time('editedAt'),
      row.count('views'),
      row.count('upvotes'),
      row.count('downvotes'),
      row.reference('firstPostId'),
      row.reference('acceptedPostId'),
    ],
  },
  posts: {
    columns:
      'forum_post (line, left_out, id, topic, content, format, author, author_name, created, edited, upvotes, downvotes, reply_to)',
    toCells: (row) => {
      const [content, format] = row.text('content');
      return [
        row.id('id'),
        row.id('topicId'),
        content ?? '',
        format ?? 'markdown',
        row.reference('authorId'),
        row.line('authorName'),
        row.time('createdAt'),
        row.time('editedAt'),
        row.count('upvotes'),
        row.count('downvotes'),
        row.reference('replyTo'),
      ];
    },
  },
};

/** Checks that ids are unique, and that those of other rows exist. */
async function checkIds(client: ClientBase, { members, tags, topics, posts }: CsvMapping): Promise<void> {
  const checks: [file: string, sql: string, describe: (value: string) => string][] = [
    ...kinds.map((kind): [string, string, (value: string) => string] => [
      { members, tags, topics, posts }[kind]?.file ?? '',
      `select line, id as value from (
         select line, id, row_number() over (partition by id order by line) as nth from ${tables[kind]}) each where nth > 1`,
      (value) => `an earlier row has the id ${value}`,
    ]),
    [
      posts.file,
      `select line, topic as value from forum_post post
       where left_out is null and not exists (select from forum_topic where forum_topic.id = post.topic)`,
      (value) => `there is no topic ${value} in ${topics.file}`,
    ],
    ...(['topics', 'posts'] as const).map((kind): [string, string, (value: string) => string] => [
      (kind === 'topics' ? topics : posts).file,
      `select line, author as value from ${tables[kind]} post
       where left_out is null and author is not null and author_name is null
         and not exists (select from forum_member where forum_member.id = post.author)`,
      (value) =>
        members === undefined
          ? `the mapping has no "members" for the author ${value}`
          : `there is no member ${value} in ${members.file}`,
    ]),
    [
      topics.file,
      `select line, wanted as value from forum_topic, unnest(tag_ids) as wanted
       where left_out is null and not exists (select from forum_tag where forum_tag.id = wanted)`,
      (value) =>
        tags === undefined
          ? `the mapping has no "tags" for the tag ${value}`
          : `there is no tag ${value} in ${tags.file}`,
    ],
    ...['first_post', 'accepted'].map((column): [string, string, (value: string) => string] => [
      topics.file,
      `select line, ${column} as value from forum_topic topic
       where left_out is null and ${column} is not null and not exists (
         select from forum_post post where post.id = topic.${column} and post.topic = topic.id)`,
      (value) => `the topic has no post ${value} in ${posts.file}`,
    ]),
  ];
  for (const [file, sql, describe] of checks) {
    const { rows } = await client.query<{ line: string; value: string }>(`${sql} order by line limit 1`);
    const [row] = rows;
    if (row !== undefined) throw lineError(path.basename(file), Number(row.line), describe(row.value));
  }
}

/** Adds the addresses. The first one of a topic, post or member, if it is below the forum's, is that of its original. */
async function addRedirects(client: ClientBase, { redirects, site }: CsvMapping): Promise<void> {
  const base = new URL(site).pathname.replace(/\/$/u, '');
  for (const kind of ['topic', 'post', 'member', 'tag'] as const) {
    const [first] = redirects[kind];
    // An address of digits only is the number of a post on a Stack Exchange site.
    if (
      kind !== 'tag' &&
      first?.startsWith(`${base}/`) === true &&
      /\D/u.test(first.slice(base.length + 1).replace('{id}', ''))
    )
      await client.query(`update forum_${kind} set path = replace($1, '{id}', id::text)`, [
        first.slice(base.length),
      ]);
    for (const pattern of redirects[kind]) {
      const address = `replace($1, '{id}', ${kind}.id::text)`;
      await addForumRedirects(client, { topic: [], post: [], member: [], tag: [], [kind]: [address] }, [
        pattern,
      ]);
    }
  }
}
