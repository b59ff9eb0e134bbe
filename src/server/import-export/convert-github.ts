import path from 'node:path';
import { z } from 'zod';
import { type ConvertOptions, type ConvertSummary, readWithProgress } from './convert.ts';
import { type CopyCell, copyRows } from './copy-rows.ts';
import { arrangePosts, createForumTables, indexForumTables, reportTable } from './forum-tables.ts';
import { writeForum } from './forum-writer.ts';
import { readJsonLines } from './json-lines.ts';
import { DumpText } from './sql-dump-text.ts';
import { cleanLine, cleanText } from './stack-exchange-characters.ts';
import { ArchiveError } from './stack-exchange-errors.ts';

const site = 'https://github.com';

const id = z.int().positive();
const time = z.iso.datetime();
const url = z.string().startsWith(`${site}/`);

/** Null for accounts that were deleted: GitHub shows them as 'ghost'. */
const author = z
  .looseObject({ login: z.string().min(1), url: url.optional(), databaseId: id.nullish() })
  .nullable();

const post = {
  databaseId: id,
  url,
  body: z.string(),
  createdAt: time,
  lastEditedAt: time.nullish(),
  upvoteCount: z.int().nonnegative(),
  author,
};
const comment = {
  ...post,
  isMinimized: z.boolean().default(false),
  minimizedReason: z.string().nullish(),
  deletedAt: time.nullish(),
};
const list = <Node extends z.ZodType>(node: Node) =>
  z.looseObject({ totalCount: z.int(), nodes: z.array(node) });

const discussion = z.looseObject({
  ...post,
  title: z.string(),
  locked: z.boolean().default(false),
  category: z.looseObject({ name: z.string(), description: z.string().nullish() }),
  labels: z.looseObject({ nodes: z.array(z.looseObject({ name: z.string() })) }).nullish(),
  answer: z.looseObject({ databaseId: id }).nullish(),
  comments: list(z.looseObject({ ...comment, replies: list(z.looseObject(comment)) })),
});
type Discussion = z.infer<typeof discussion>;
type Author = z.infer<typeof author>;
type Comment = Discussion['comments']['nodes'][number]['replies']['nodes'][number];

/**
 * Converts the discussions of GitHub's GraphQL API, one JSON object per line.
 * @throws ArchiveError with the line of the first problem
 */
export async function convertGithub(options: ConvertOptions): Promise<ConvertSummary> {
  const { client, input } = options;
  await createForumTables(client);
  const found: Found = { authors: new Map(), categories: new Map(), missing: 0 };
  await readWithProgress(options, [input], async (report) => {
    const name = path.basename(input);
    const source = new DumpText(input, (bytes) => report(name, bytes, 0));
    let isEmpty = true;
    for await (const batch of readJsonLines(source, discussion)) {
      isEmpty = false;
      const topics = batch.map(({ line, row }) => toTopic(line, row, found));
      const posts = batch.flatMap(({ line, row }) => toPosts(line, row, found));
      await copyRows(client, topicColumns, topics);
      await copyRows(client, postColumns, posts);
      report(name, 0, topics.length + posts.length);
    }
    if (isEmpty) throw new ArchiveError(`${name} is empty.`);
  });
  await copyRows(
    client,
    'forum_member (line, id, name, path)',
    [...found.authors].map(([key, name]) => [0, key, name, `/${name}`]),
  );
  await copyRows(
    client,
    'forum_tag (line, id, name, description)',
    [...found.categories].map(([name, { number, description }]) => [0, number, name, description]),
  );
  await indexForumTables(client);
  await arrangePosts(client);
  const written = await writeForum({ ...options, site });
  return {
    site,
    files: [
      await reportTable(client, 'forum_topic', 'discussions'),
      await reportTable(client, 'forum_post', 'comments and replies'),
      await reportTable(client, 'forum_member', 'authors'),
      await reportTable(client, 'forum_tag', 'categories'),
    ],
    written,
    remarks:
      found.missing > 0
        ? [
            `${found.missing} comments and replies are not in the file, because the query returns at most 100 of one post`,
          ]
        : [],
  };
}

/** What the discussions have in common: as large as the number of authors and categories. */
type Found = {
  authors: Map<number, string>;
  categories: Map<string, { number: number; description: string | null }>;
  /** Comments and replies that GitHub counts but did not return. */
  missing: number;
};

const topicColumns =
  'forum_topic (line, id, title, content, format, tags, tag_ids, author, author_name, created, edited, upvotes, downvotes, ' +
  'accepted, lock_reason, path)';

function toTopic(line: number, row: Discussion, found: Found): CopyCell[] {
  found.missing += row.comments.totalCount - row.comments.nodes.length;
  return [
    line,
    row.databaseId,
    cleanLine(row.title),
    cleanText(row.body),
    'markdown',
    (row.labels?.nodes ?? []).map(({ name }) => name),
    [String(findCategory(row, found))],
    ...toAuthor(row.author, found),
    row.createdAt,
    row.lastEditedAt ?? null,
    row.upvoteCount,
    0,
    row.answer?.databaseId ?? null,
    row.locked ? 'Locked on github.com' : null,
    row.url.slice(site.length),
  ];
}

function findCategory({ category }: Discussion, { categories }: Found): number {
  const known = categories.get(category.name);
  if (known !== undefined) return known.number;
  const number = categories.size + 1;
  categories.set(category.name, { number, description: cleanLine(category.description ?? '') || null });
  return number;
}

const postColumns =
  'forum_post (line, left_out, id, topic, content, format, author, author_name, created, edited, upvotes, downvotes, ' +
  'reply_to, is_thread, path)';

function toPosts(line: number, row: Discussion, found: Found): CopyCell[][] {
  return row.comments.nodes.flatMap((each) => {
    found.missing += each.replies.totalCount - each.replies.nodes.length;
    const reason = findReason(each);
    const below = reason === null ? null : 'replies to comments that are left out';
    return [
      toPost(line, { row, comment: each, above: null, reason }, found),
      ...each.replies.nodes.map((reply) =>
        toPost(
          line,
          { row, comment: reply, above: each.databaseId, reason: findReason(reply) ?? below },
          found,
        ),
      ),
    ];
  });
}

function findReason({ isMinimized, minimizedReason, deletedAt }: Comment): string | null {
  if (deletedAt != null) return 'deleted';
  return isMinimized ? `hidden${minimizedReason == null ? '' : ` as ${minimizedReason}`}` : null;
}

type Placed = { row: Discussion; comment: Comment; above: number | null; reason: string | null };

function toPost(line: number, { row, comment: each, above, reason }: Placed, found: Found): CopyCell[] {
  return [
    line,
    reason,
    each.databaseId,
    row.databaseId,
    cleanText(each.body),
    'markdown',
    ...toAuthor(each.author, found),
    each.createdAt,
    each.lastEditedAt ?? null,
    each.upvoteCount,
    0,
    above,
    above !== null,
    each.url.slice(site.length),
  ];
}

/** The number and name of an author. Accounts without a number have only a name. */
function toAuthor(row: Author, { authors }: Found): [number | null, string | null] {
  if (row === null) return [null, null];
  if (row.databaseId == null) return [null, row.login];
  authors.set(row.databaseId, row.login);
  return [row.databaseId, null];
}
