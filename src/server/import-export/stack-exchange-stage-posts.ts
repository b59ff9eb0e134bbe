import { countCodePoints, tagKey, truncate } from '#shared/core/text.ts';
import { limits, serverLimits } from '#shared/core/limits.ts';
import { createExcerpt } from '#server/posts/index.ts';
import type { ClientBase } from 'pg';
import { cleanLine } from './stack-exchange-characters.ts';
import type { ConvertedText } from './stack-exchange-content.ts';
import { type CopyCell, copyRows } from './copy-rows.ts';
import {
  parseLicense,
  parseInteger,
  parsePersonName,
  parseTags,
  parseTime,
} from './stack-exchange-fields.ts';
import type { ArchiveRow } from './stack-exchange-xml.ts';
import { mayLinkToPosts } from './stack-exchange-links.ts';
import { findQuestionLinks } from './stack-exchange-site.ts';
import {
  copyLinks,
  type FindTexts,
  incompleteReason,
  stageEach,
  type StageRows,
} from './stack-exchange-stage.ts';
import { isTagText, stageTagTexts } from './stack-exchange-tag-texts-stage.ts';

/** Questions, answers and wikis of tags. Other posts are skipped, or are excerpts of tags without Markdown. */
const kindsWithText: ReadonlySet<number> = new Set([1, 2, 5]);

/** Finds the texts of posts. The history is staged and indexed before, because it has what members typed. */
export const findPostTexts: FindTexts = async (client, rows) => {
  const typed = await readNewestVersions(client, rows);
  return rows.map((row) =>
    kindsWithText.has(parseInteger(row['PostTypeId']) ?? 0)
      ? { typed: typed.get(parseInteger(row['Id']) ?? 0) ?? null, html: row['Body'] ?? '' }
      : { typed: null, html: '' },
  );
};

/** Stages questions and answers, and the texts of tags. */
export const stagePosts: StageRows = async (client, rows, tally, texts) => {
  const posts = rows.map((row, index) => ({ row, text: texts[index] ?? noText }));
  await stageTagTexts(
    client,
    posts.filter(({ row }) => isTagText(row)),
    tally,
  );
  const links: CopyCell[][] = [];
  const others = posts.filter(({ row }) => !isTagText(row));
  const staged = stageEach(others, tally, ({ row, text: { content, source } }) => {
    const id = parseInteger(row['Id']);
    const kind = parseInteger(row['PostTypeId']);
    const created = parseTime(row['CreationDate']);
    if (id === null || kind === null || created === null) return incompleteReason;
    if (kind !== 1 && kind !== 2)
      return `${otherPosts.get(kind) ?? 'posts of an unknown type'} (type ${kind})`;
    const parent = parseInteger(row['ParentId']);
    if (kind === 2 && parent === null) return incompleteReason;

    for (const link of findQuestionLinks(row['Body'] ?? ''))
      links.push([link.host, link.question, link.slug, created]);
    const text = kind === 1 ? questionCells(row, content) : answerCells(content);
    if (text === null) return kind === 1 ? 'questions without a title and text' : 'answers without text';
    return [id, kind, parent, ...postCells(row, created), source, mayLinkToPosts(content), ...text];
  });
  await copyRows(client, `archive_post (${columns})`, staged);
  await copyLinks(client, links);
};

const noText: ConvertedText = { content: '', source: 'html' };

const columns =
  'id, kind, parent, accepted, created, edited, score, views, author, author_name, license, closed, wiki, origin, ' +
  'has_links, title, content, excerpt, excerpt_cut, tags, tag_keys, tags_left_out';

const otherPosts: ReadonlyMap<number, string> = new Map([
  [3, 'wikis'],
  [6, 'nominations of moderators'],
  [7, 'wiki placeholders'],
  [8, 'privilege wikis'],
]);

/** Returns the newest version of each post in the history, as typed. */
async function readNewestVersions(
  client: ClientBase,
  rows: readonly ArchiveRow[],
): Promise<Map<number, string>> {
  const ids = rows.map((row) => parseInteger(row['Id'])).filter((id) => id !== null);
  const versions = await client.query<{ post_id: string; text: string }>(
    `select newest.post_id, history.text
     from archive_newest newest join archive_history history on history.line = newest.line
     where newest.post_id = any($1::bigint[])`,
    [ids],
  );
  return new Map(versions.rows.map((version) => [Number(version.post_id), version.text]));
}

function postCells(row: ArchiveRow, created: string): CopyCell[] {
  const edited = parseTime(row['LastEditDate']);
  return [
    parseInteger(row['AcceptedAnswerId']),
    created,
    edited !== null && edited > created ? edited : null,
    parseInteger(row['Score']) ?? 0,
    Math.max(parseInteger(row['ViewCount']) ?? 0, 0),
    parseInteger(row['OwnerUserId']),
    parsePersonName(row['OwnerDisplayName']),
    parseLicense(row['ContentLicense'], created),
    parseTime(row['ClosedDate']),
    parseTime(row['CommunityOwnedDate']),
  ];
}

function questionCells(row: ArchiveRow, text: string): CopyCell[] | null {
  const beginning = createExcerpt(text);
  const title = truncate(cleanLine(row['Title'] ?? ''), serverLimits.importedTitle) || beginning.excerpt;
  const content = text || title;
  if (title === '') return null;
  const tags = parseTags(row['Tags']);
  const valid = tags.filter((tag) => countCodePoints(tag) <= limits.tag).slice(0, limits.tagsPerQuestion);
  const card = [beginning.excerpt, beginning.cut];
  return [title, content, ...card, valid, valid.map(tagKey), tags.length - valid.length];
}

function answerCells(content: string): CopyCell[] | null {
  return content === '' ? null : [null, content, null, null, null, null, 0];
}
