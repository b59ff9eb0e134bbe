import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { describeIssue } from './jsonl-format.ts';
import { textFormats } from './forum-texts.ts';
import { isTimeFormat } from './forum-times.ts';
import { ArchiveError, unreadableError } from './stack-exchange-errors.ts';
import { parseSiteName } from './stack-exchange-site.ts';

const column = z.string().min(1, 'is empty');

/** One file of the forum: its columns, and the values of other columns that rows must have. */
const section = <Columns extends z.ZodRawShape>(columns: Columns) =>
  z.strictObject({
    file: z.string().min(1, 'is empty'),
    columns: z.strictObject(columns),
    only: z.record(z.string(), z.union([z.string(), z.array(z.string()).min(1)])).default({}),
  });

const patterns = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat())
  .refine(
    (list) => list.every((each) => /^\/(?!\/).*\{id\}/u.test(each)),
    'is not a path with {id}, such as /viewtopic.php?t={id}',
  )
  .default([]);

const character = z.string().length(1, 'is not one character');

const mapping = z.strictObject({
  site: z
    .url({ protocol: /^https?$/u, error: 'is not an address such as https://forum.example.org' })
    .transform((url) => url.replace(/\/+$/u, ''))
    .refine(
      (url) => parseSiteName(new URL(url).hostname) !== null,
      'is not an address such as https://forum.example.org',
    ),
  format: z.enum(textFormats, `must be one of ${textFormats.join(', ')}`),
  encoding: z
    .string()
    .default('utf-8')
    .refine(isEncoding, 'is not an encoding such as utf-8 or windows-1252'),
  delimiter: character.default(','),
  quote: character.default('"'),
  escape: character.optional(),
  htmlEntities: z.boolean().default(false),
  dateFormat: z.string().refine(isTimeFormat, 'is not a format such as DD.MM.YYYY HH:mm').optional(),
  tagSeparator: z.string().min(1, 'is empty').default(','),
  members: section({
    id: column,
    name: column,
    bio: column.optional(),
    email: column.optional(),
    createdAt: column.optional(),
  }).optional(),
  tags: section({ id: column, name: column, description: column.optional() }).optional(),
  topics: section({
    id: column,
    title: column,
    content: column.optional(),
    tags: column.optional(),
    tagId: column.optional(),
    authorId: column.optional(),
    authorName: column.optional(),
    createdAt: column.optional(),
    editedAt: column.optional(),
    views: column.optional(),
    upvotes: column.optional(),
    downvotes: column.optional(),
    firstPostId: column.optional(),
    acceptedPostId: column.optional(),
  }),
  posts: section({
    id: column,
    topicId: column,
    content: column,
    authorId: column.optional(),
    authorName: column.optional(),
    createdAt: column.optional(),
    editedAt: column.optional(),
    upvotes: column.optional(),
    downvotes: column.optional(),
    replyTo: column.optional(),
  }),
  redirects: z
    .strictObject({ topic: patterns, post: patterns, member: patterns, tag: patterns })
    .default({ topic: [], post: [], member: [], tag: [] }),
});

/** How the columns of CSV files become topics, posts, members and tags (docs/importing.md). */
export type CsvMapping = z.infer<typeof mapping>;
export type CsvSection = {
  file: string;
  columns: Readonly<Record<string, string | undefined>>;
  only: CsvMapping['topics']['only'];
};

/**
 * Reads a mapping file.
 * @throws ArchiveError with the line of the first problem
 */
export async function readMapping(file: string): Promise<CsvMapping> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadableError(file, error);
  });
  const name = path.basename(file);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ArchiveError(`${name}, line ${findSyntaxLine(text, error)}: the file is not JSON.`, {
      cause: error,
    });
  }
  const parsed = mapping.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const keys = (issue?.path ?? []).map(String);
  const place = issue?.code === 'unrecognized_keys' ? [...keys, ...issue.keys.slice(0, 1)] : keys;
  throw new ArchiveError(`${name}, line ${findLine(text, place)}: ${describeIssue(parsed.error)}.`);
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label) instanceof TextDecoder;
  } catch {
    return false;
  }
}

/** The line that the message of JSON.parse names by a position, or the last one. */
function findSyntaxLine(text: string, error: unknown): number {
  const position = /position (\d+)/u.exec(error instanceof Error ? error.message : '')?.[1];
  return countLines(text.slice(0, position === undefined ? text.length : Number(position)));
}

/** The line of the last key of a path that is in the text. */
function findLine(text: string, keys: readonly string[]): number {
  let position = 0;
  for (const key of keys) {
    const found = text.indexOf(JSON.stringify(key), position);
    if (found < 0) break;
    position = found;
  }
  return countLines(text.slice(0, position));
}

const countLines = (text: string) => text.split('\n').length;
