import { tagKey } from '#shared/tags.ts';
import { codePoints } from '#shared/text.ts';
import type { ClientBase } from 'pg';
import { cleanLine, cleanText } from './characters.ts';
import { htmlToMarkdown } from './convert.ts';
import { copyRows, type Cell } from './copy.ts';
import { integer, licenseAt, personName, time } from './fields.ts';
import type { Row } from './rows.ts';
import { textKinds } from './session.ts';
import { questionLinks } from './site.ts';
import type { Tally } from './tally.ts';

/** Sorts out rows of one file that were read together, and puts those that may be taken into the staging tables. */
export type Stage = (client: ClientBase, rows: readonly Row[], tally: Tally) => Promise<void>;

export const incomplete = 'incomplete or unreadable';

/** What `choose` makes of each row: cells to be staged, or the reason why the row is left out. */
export function keep(rows: readonly Row[], tally: Tally, choose: (row: Row) => Cell[] | string): Cell[][] {
  const kept: Cell[][] = [];
  for (const row of rows) {
    const chosen = choose(row);
    if (typeof chosen === 'string') tally.leaveOut(chosen);
    else kept.push(chosen);
  }
  return kept;
}

export const stageUsers: Stage = async (client, rows, tally) => {
  const staged = keep(rows, tally, (row) => {
    const id = integer(row['Id']);
    const created = time(row['CreationDate']);
    if (id === null || created === null) return incomplete;
    const bio = cleanText(htmlToMarkdown(row['AboutMe'] ?? ''));
    const fits = bio !== '' && codePoints(bio) <= bioMax;
    const name = personName(row['DisplayName']) ?? `user${id}`;
    return [id, name, fits ? bio : null, integer(row['Reputation']) ?? 0, created];
  });
  await copyRows(client, 'archive_user (id, name, bio, reputation, created)', staged);
};

/** What the column holds. Profiles of the network have 3,000 characters at most. */
const bioMax = 100_000;

export const stageHistory: Stage = async (client, rows, tally) => {
  const staged = keep(rows, tally, (row) => {
    const kind = integer(row['PostHistoryTypeId']);
    const isText = textKinds.some((each) => each === kind);
    if (kind !== null && initial.has(kind)) return titlesAndTags;
    if (kind !== null && !isText && !edits.has(kind)) return otherEvents.get(kind) ?? 'other events';
    const id = integer(row['Id']);
    const post = integer(row['PostId']);
    const created = time(row['CreationDate']);
    if (kind === null || id === null || post === null || created === null) return incomplete;
    return [id, post, created, kind, isText ? cleanText(row['Text'] ?? '') : ''];
  });
  await copyRows(client, 'archive_history (id, post_id, created, kind, text)', staged);
};

/** Kinds of history entries (https://meta.stackexchange.com/q/2677): titles and tags as they were first, and their edits. */
const initial = new Set([1, 3]);
const edits = new Set([4, 6, 7, 9]);

export const titlesAndTags = 'titles and tags, which the posts have as well';

const otherEvents: ReadonlyMap<number, string> = new Map([
  [10, 'closings and reopenings, which Parley does not have'],
  [11, 'closings and reopenings, which Parley does not have'],
  [12, 'deletions and undeletions'],
  [13, 'deletions and undeletions'],
  [14, 'locks and unlocks'],
  [15, 'locks and unlocks'],
]);

export const stageComments: Stage = async (client, rows, tally) => {
  const links: Cell[][] = [];
  const staged = keep(rows, tally, (row) => {
    const id = integer(row['Id']);
    const post = integer(row['PostId']);
    const created = time(row['CreationDate']);
    if (id === null || post === null || created === null) return incomplete;
    const content = cleanText(row['Text'] ?? '').trim();
    if (content === '') return 'without text';
    for (const link of questionLinks(content)) links.push([link.host, link.question, link.slug, created]);
    const author = [integer(row['UserId']), personName(row['UserDisplayName'])];
    return [
      id,
      post,
      integer(row['Score']) ?? 0,
      created,
      ...author,
      content,
      row['ContentLicense'] ?? licenseAt(created),
    ];
  });
  await copyRows(
    client,
    'archive_comment (id, post_id, score, created, author, author_name, content, license)',
    staged,
  );
  await copyLinks(client, links);
};

export async function copyLinks(client: ClientBase, links: readonly Cell[][]): Promise<void> {
  if (links.length > 0) await copyRows(client, 'archive_link (host, question, slug, written)', links);
}

export const stageVotes: Stage = async (client, rows, tally) => {
  const staged = keep(rows, tally, (row) => {
    const id = integer(row['Id']);
    const post = integer(row['PostId']);
    const kind = integer(row['VoteTypeId']);
    const created = time(row['CreationDate']);
    if (id === null || post === null || kind === null || created === null) return incomplete;
    if (!keptVotes.has(kind)) return `${otherVotes.get(kind) ?? 'votes of an unknown type'} (type ${kind})`;
    return [id, post, kind, integer(row['UserId']), created];
  });
  await copyRows(client, 'archive_vote (id, post_id, kind, member, created)', staged);
};

/** Accepted, up, down, favourite. */
const keptVotes = new Set([1, 2, 3, 5]);

const otherVotes: ReadonlyMap<number, string> = new Map([
  [4, 'marks as offensive'],
  [6, 'votes to close'],
  [7, 'votes to reopen'],
  [8, 'bounties begun'],
  [9, 'bounties awarded'],
  [10, 'votes to delete'],
  [11, 'votes to undelete'],
  [12, 'marks as spam'],
  [13, 'notes to moderators'],
  [14, 'nominations'],
  [15, 'reviews by moderators'],
  [16, 'approved edits'],
]);

export const stageTags: Stage = async (client, rows, tally) => {
  const staged = keep(rows, tally, (row) => {
    const name = cleanLine(row['TagName'] ?? '');
    return name === '' ? incomplete : [tagKey(name)];
  });
  await copyRows(client, 'archive_tag (key)', staged);
};

export const passBadges: Stage = async (_client, rows, tally) => {
  tally.leaveOut('Parley has no badges', rows.length);
};

export const passLinks: Stage = async (_client, rows, tally) => {
  for (const row of rows)
    tally.leaveOut(links.get(integer(row['LinkTypeId']) ?? 0) ?? 'links of an unknown type');
};

const links: ReadonlyMap<number, string> = new Map([
  [1, 'related questions, which Parley does not list'],
  [3, 'marks of duplicates, which are not imported'],
]);
