import { limits } from '#shared/limits.ts';
import { tagKey } from '#shared/tags.ts';
import { codePoints } from '#shared/text.ts';
import { excerpt } from '#server/questions/excerpt.ts';
import type { ClientBase } from 'pg';
import { cleanLine } from './characters.ts';
import { chooseContent } from './content.ts';
import { copyRows, type Cell } from './copy.ts';
import { integer, licenseAt, personName, tagsOf, time } from './fields.ts';
import type { Row } from './rows.ts';
import { questionLinks } from './site.ts';
import { copyLinks, incomplete, keep, type Stage } from './staging.ts';

/** Questions and answers; `stageHistory` and `indexHistory` come first, because the history has what members typed. */
export const stagePosts: Stage = async (client, rows, tally) => {
  const typed = await newestVersions(client, rows);
  const links: Cell[][] = [];
  const staged = keep(rows, tally, (row) => {
    const id = integer(row['Id']);
    const kind = integer(row['PostTypeId']);
    const created = time(row['CreationDate']);
    if (id === null || kind === null || created === null) return incomplete;
    if (kind !== 1 && kind !== 2)
      return `${otherPosts.get(kind) ?? 'posts of an unknown type'} (type ${kind})`;
    const parent = integer(row['ParentId']);
    if (kind === 2 && parent === null) return incomplete;

    const page = row['Body'] ?? '';
    for (const link of questionLinks(page)) links.push([link.host, link.question, link.slug, created]);
    const { content, from } = chooseContent(typed.get(id) ?? null, page);
    const text = kind === 1 ? questionCells(row, content) : answerCells(content);
    if (text === null) return kind === 1 ? 'questions without a title and text' : 'answers without text';
    return [id, kind, parent, ...factCells(row, created), from, ...text];
  });
  await copyRows(client, `archive_post (${columns})`, staged);
  await copyLinks(client, links);
};

const columns =
  'id, kind, parent, accepted, created, edited, score, views, author, author_name, license, closed, origin, ' +
  'title, content, excerpt, excerpt_cut, tags, tag_keys, tags_left_out';

const otherPosts: ReadonlyMap<number, string> = new Map([
  [3, 'wikis'],
  [4, 'excerpts of tag wikis'],
  [5, 'tag wikis'],
  [6, 'nominations of moderators'],
  [7, 'wiki placeholders'],
  [8, 'privilege wikis'],
]);

/** The newest version that the history has of each post, as it was typed. */
async function newestVersions(client: ClientBase, rows: readonly Row[]): Promise<Map<number, string>> {
  const ids = rows.map((row) => integer(row['Id'])).filter((id) => id !== null);
  const versions = await client.query<{ post_id: string; text: string }>(
    `select newest.post_id, history.text
     from archive_newest newest join archive_history history on history.line = newest.line
     where newest.post_id = any($1::bigint[])`,
    [ids],
  );
  return new Map(versions.rows.map((version) => [Number(version.post_id), version.text]));
}

function factCells(row: Row, created: string): Cell[] {
  const edited = time(row['LastEditDate']);
  return [
    integer(row['AcceptedAnswerId']),
    created,
    edited !== null && edited > created ? edited : null,
    integer(row['Score']) ?? 0,
    Math.max(integer(row['ViewCount']) ?? 0, 0),
    integer(row['OwnerUserId']),
    personName(row['OwnerDisplayName']),
    row['ContentLicense'] ?? licenseAt(created),
    row['ClosedDate'] !== undefined,
  ];
}

function questionCells(row: Row, text: string): Cell[] | null {
  const beginning = excerpt(text);
  const title = cleanLine(row['Title'] ?? '') || beginning.excerpt;
  const content = text || title;
  if (title === '') return null;
  const tags = tagsOf(row['Tags']);
  const kept = tags.filter((tag) => codePoints(tag) <= limits.tag).slice(0, limits.tagsPerQuestion);
  const card = [beginning.excerpt, beginning.cut];
  return [title, content, ...card, kept, kept.map(tagKey), tags.length - kept.length];
}

function answerCells(content: string): Cell[] | null {
  return content === '' ? null : [null, content, null, null, null, null, 0];
}
