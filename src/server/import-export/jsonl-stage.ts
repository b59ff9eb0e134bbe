import type { ClientBase } from 'pg';
import { createExcerpt } from '#server/posts/index.ts';
import { tagKey } from '#shared/core/text.ts';
import { normalizeTag } from '#shared/posts/tags.ts';
import { parseWebsite } from '#server/core/websites.ts';
import { parseLocation } from './stack-exchange-fields.ts';
import { parseSiteName } from './stack-exchange-site.ts';
import { type CopyCell, copyRows } from './copy-rows.ts';
import type { NumberedRow } from './json-lines.ts';
import { lineError } from './jsonl-files.ts';
import type { LineKind, LineRow } from './jsonl-format.ts';
import { maxBioLength, mayHaveOwnLinks } from './jsonl-links.ts';
import { postKinds } from './jsonl-tables.ts';
import { cleanText } from './stack-exchange-characters.ts';
import { unknownSiteUrl } from './stack-exchange-fields.ts';
import { htmlToMarkdown } from './stack-exchange-html.ts';

/** What the cells of a row depend on besides the row. */
export type StageContext = {
  client: ClientBase;
  /** The address of the source without a trailing slash: 'https://ask.example.org'. */
  origin: string;
  /** Whether Parley wrote the files, so that the addresses of its posts are known. */
  isExport: boolean;
  /** The time of rows without one. */
  now: string;
  /** The addresses of pictures by the paths of their files, such as 'pictures/cat.png'. */
  pictures: ReadonlyMap<string, string>;
};

/** Kinds whose rows are copied to a staging table. Pictures are decoded first (jsonl-pictures.ts). */
export type CopiedKind = Exclude<LineKind, 'pictures'>;

/** Copies a batch of rows to the staging table of their kind. */
export async function stageRows<Kind extends CopiedKind>(
  context: StageContext,
  kind: Kind,
  rows: readonly NumberedRow<LineRow<Kind>>[],
): Promise<void> {
  const { columns, toCells } = copies[kind] as Copy<Kind>;
  await copyRows(
    context.client,
    columns,
    rows.map(({ line, row }) => [line, ...toCells(row, context, line)]),
  );
}

type Copy<Kind extends CopiedKind> = {
  columns: string;
  toCells: (row: LineRow<Kind>, context: StageContext, line: number) => CopyCell[];
};

const postColumns =
  'line_post (line, kind, id, question, answer, parent, author, author_name, content, upvotes, downvotes, created, edited, ' +
  'license, path, source_site, source_key, has_links, has_pictures, wiki, bounties, deleted, title, excerpt, excerpt_cut, tags, tag_keys, ' +
  'views, accepted, duplicate_of, lock_reason, closed_reason, closed_at, closers)';

type PostRow = LineRow<'questions'> | LineRow<'answers'> | LineRow<'replies'>;

const copies: { [Kind in CopiedKind]: Copy<Kind> } = {
  members: {
    columns:
      'line_member (line, id, name, bio, location, website, reputation, has_role, is_bot, avatar, email, show_email, suspended_until, suspension_reason, identities, claimed, created, path, source_site, source_key)',
    toCells: (row, context, line) => {
      const bio = toMarkdown(row.bio ?? '', row.format, context).trim();
      return [
        row.id,
        row.name,
        bio === '' ? null : Array.from(bio).slice(0, maxBioLength).join(''),
        parseLocation(row.location),
        row.website === undefined ? null : parseWebsite(row.website),
        row.reputation ?? null,
        row.role !== undefined,
        row.isBot === true,
        row.avatar ?? null,
        // No one signs in to the profile of a program.
        row.isBot === true ? null : (row.email ?? null),
        context.isExport && row.showEmail,
        ...(context.isExport && row.suspendedUntil !== undefined
          ? [row.suspendedUntil, row.suspensionReason]
          : [null, null]),
        row.identities === undefined || row.isBot === true ? null : JSON.stringify(row.identities),
        context.isExport && row.claimed.length > 0 ? toClaimed(row.claimed, line) : null,
        row.createdAt ?? context.now,
        toPath(
          { url: row.url, file: 'members.jsonl', line, own: `profile/${row.id}`, other: `member-${row.id}` },
          context,
        ),
        ...toSource(row.source, 'members.jsonl', line),
      ];
    },
  },
  badges: {
    columns:
      'line_badge (line, member, name, class, is_tag_based, awards, first_at, last_at, source_site, source_key)',
    toCells: (row, _context, line) => [
      row.memberId,
      row.name,
      row.class ?? null,
      row.tagBased,
      row.awards,
      row.firstAt,
      row.lastAt ?? row.firstAt,
      ...toSource(row.source, 'badges.jsonl', line),
    ],
  },
  tags: {
    columns: 'line_tag (line, name, key, description, about, description_source, about_source, synonym_of)',
    toCells: (row, _context, line) => [
      row.name,
      tagKey(row.name),
      row.description || null,
      row.about || null,
      toTagTextSource(row.descriptionSource, 'descriptionSource', line),
      toTagTextSource(row.aboutSource, 'aboutSource', line),
      row.synonymOf === undefined ? null : tagKey(row.synonymOf),
    ],
  },
  questions: {
    columns: postColumns,
    toCells: (row, context, line) => {
      const content = toContent(row, context) || row.title;
      const { excerpt, cut } = createExcerpt(content);
      return [
        postKinds.question,
        row.id,
        row.id,
        null,
        null,
        ...toPostCells(
          {
            row,
            content,
            file: 'questions.jsonl',
            line,
            own: `question/${row.id}`,
            other: `question-${row.id}`,
          },
          context,
        ),
        false,
        row.title,
        excerpt,
        cut,
        row.tags,
        row.tags.map(tagKey),
        row.views ?? 0,
        row.acceptedAnswerId ?? null,
        row.duplicateOf ?? null,
        row.lockReason ?? null,
        row.closedReason ?? null,
        row.closedAt ?? row.createdAt ?? context.now,
        row.closedBy === undefined ? null : JSON.stringify(row.closedBy),
      ];
    },
  },
  answers: {
    columns: postColumns,
    toCells: (row, context, line) => {
      const content = toContent(row, context);
      if (content === '') throw lineError('answers.jsonl', line, 'content: is empty');
      const own = `question/${row.questionId}#answer-${row.id}`;
      return [
        postKinds.answer,
        row.id,
        row.questionId,
        row.id,
        null,
        ...toPostCells(
          { row, content, file: 'answers.jsonl', line, own, other: `answer-${row.id}` },
          context,
        ),
        false,
        ...withoutQuestion,
      ];
    },
  },
  replies: {
    columns: postColumns,
    toCells: (row, context, line) => {
      const content = row.deleted ? '' : toContent(row, context);
      if (content === '' && !row.deleted) throw lineError('replies.jsonl', line, 'content: is empty');
      const own = `question/${row.questionId}#reply-${row.id}`;
      return [
        postKinds.reply,
        row.id,
        row.questionId,
        row.answerId ?? null,
        row.parentReplyId ?? null,
        ...toPostCells({ row, content, file: 'replies.jsonl', line, own, other: `reply-${row.id}` }, context),
        row.deleted,
        ...withoutQuestion,
      ];
    },
  },
  revisions: {
    columns:
      'line_revision (line, kind, post, number, title, content, tags, created, replaced, editor, editor_name, approver, summary, is_imported)',
    toCells: (row, context, line) => {
      const isQuestion = row.post === 'question';
      if (isQuestion !== (row.title !== undefined))
        throw lineError(
          'revisions.jsonl',
          line,
          `title: ${isQuestion ? 'is missing' : 'only questions have one'}`,
        );
      return [
        postKinds[row.post],
        row.postId,
        row.number,
        row.title ?? null,
        toContent(row, context),
        isQuestion ? (row.tags ?? []) : null,
        row.createdAt,
        row.replacedAt ?? null,
        row.editorId ?? null,
        row.editorName ?? null,
        row.approverId ?? null,
        row.summary || null,
        row.imported === true,
      ];
    },
  },
  votes: {
    columns: 'line_vote (line, kind, post, direction, member, created)',
    toCells: (row, { now }) => [
      postKinds[row.post],
      row.postId,
      row.vote,
      row.memberId ?? null,
      row.createdAt ?? row.day ?? now,
    ],
  },
  follows: {
    columns: 'line_follow (line, member, question, tag_key, created)',
    toCells: (row, { now }) => [
      row.memberId,
      row.questionId ?? null,
      row.tag === undefined ? null : tagKey(row.tag),
      row.createdAt ?? now,
    ],
  },
  bookmarks: {
    columns: 'line_bookmark (line, member, question, answer, note, created)',
    toCells: (row, { now }) => [
      row.memberId,
      row.questionId ?? null,
      row.answerId ?? null,
      row.note,
      row.createdAt ?? now,
    ],
  },
  redirects: {
    columns: 'line_redirect (line, address, kind, target, tag_key, source_site)',
    toCells: ({ from, questionId, answerId, replyId, memberId, tag, site }) => {
      const targets = { question: questionId, answer: answerId, reply: replyId, member: memberId };
      const target = Object.entries(targets).find(([, id]) => id !== undefined) ?? ['tag', null];
      return [
        from,
        target[0],
        target[1] ?? null,
        tag === undefined ? null : tagKey(normalizeTag(tag)),
        site ?? null,
      ];
    },
  },
};

/** Title, excerpt, cut, tags, their keys, views, accepted answer, original of a duplicate, lock, closing, closers. */
const withoutQuestion: CopyCell[] = [null, null, null, null, null, 0, null, null, null, null, null, null];

type PostCells = { row: PostRow; content: string; file: string; line: number; own: string; other: string };

function toPostCells({ row, content, file, line, own, other }: PostCells, context: StageContext): CopyCell[] {
  const created = row.createdAt ?? context.now;
  return [
    row.authorId ?? null,
    row.authorName ?? null,
    content,
    row.upvotes ?? null,
    row.downvotes ?? null,
    created,
    row.editedAt !== undefined && row.editedAt > created ? row.editedAt : null,
    row.license ?? row.source?.license ?? null,
    toPath({ url: row.url, file, line, own, other }, context),
    ...toSource(row.source, file, line),
    mayHaveOwnLinks(content),
    content.includes('/uploads/'),
    ...toSiteHistory(row),
  ];
}

/** When a post became a community wiki, and its bounties as JSON. */
function toSiteHistory(row: PostRow): CopyCell[] {
  if (!('communityWikiAt' in row || 'bounties' in row)) return [null, null];
  return [row.communityWikiAt ?? null, row.bounties === undefined ? null : JSON.stringify(row.bounties)];
}

function toContent(row: { content: string; format: 'markdown' | 'html' }, context: StageContext): string {
  const markdown = toMarkdown(row.content, row.format, context);
  const content = row.format === 'html' ? markdown.trim() : markdown;
  if (content.trim() === '') return '';
  if (context.pictures.size === 0) return content;
  return content.replace(
    /(?<=\]\(<?)(pictures\/[^)>\s]+)(?=[)>\s])/gu,
    (path: string) => context.pictures.get(path) ?? path,
  );
}

function toMarkdown(text: string, format: 'markdown' | 'html', { origin }: StageContext): string {
  return format === 'html' ? cleanText(htmlToMarkdown(text)).replaceAll(unknownSiteUrl, origin) : text;
}

type Page = { url: string | undefined; file: string; line: number; own: string; other: string };

/** The address of the original below its site, without the leading slash: the key of an imported row. */
function toPath({ url, file, line, own, other }: Page, { origin, isExport }: StageContext): string {
  if (url === undefined) return isExport ? own : `#${other}`;
  if (!url.startsWith(`${origin}/`)) throw lineError(file, line, `url: is not below ${origin}`);
  const path = url.slice(origin.length + 1);
  // A key of digits only is the number of a post on a Stack Exchange site.
  if (!/\D/u.test(path)) throw lineError(file, line, 'url: is not the address of a page');
  return path;
}

/** The site and key of a row that had been imported before it was exported. */
function toSource(source: LineRow<'members'>['source'], file: string, line: number): CopyCell[] {
  if (source === undefined) return [null, null];
  const site = parseSiteName(source.site);
  if (site === null) throw lineError(file, line, `source.site: ${source.site} is not a host name`);
  return [site, source.id];
}

/** Claimed profiles as JSON for `line_member`. */
function toClaimed(claimed: LineRow<'members'>['claimed'], line: number): CopyCell {
  return JSON.stringify(
    claimed.map((each) => {
      const [site, key] = toSource(each, 'members.jsonl', line);
      return { site, key };
    }),
  );
}

/** The source of a text of a tag as JSON for `line_tag`. */
function toTagTextSource(
  source: LineRow<'tags'>['aboutSource'],
  field: 'descriptionSource' | 'aboutSource',
  line: number,
): CopyCell {
  if (source === undefined) return null;
  const [site] = toSource(source, 'tags.jsonl', line);
  const { id, url, license, adapted } = source;
  const page = URL.parse(url);
  const path = page === null ? '' : `${page.pathname}${page.search}`.slice(1);
  if (page?.host !== site || path === '')
    throw lineError('tags.jsonl', line, `${field}.url: is not a page of ${source.site}`);
  return JSON.stringify({ site, id, path, license, adapted });
}
