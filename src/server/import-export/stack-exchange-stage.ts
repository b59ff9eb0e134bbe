import { parseWebsite } from '#server/core/websites.ts';
import { countCodePoints, tagKey } from '#shared/core/text.ts';
import { serverLimits } from '#shared/core/limits.ts';
import type { ClientBase } from 'pg';
import { cleanLine, cleanText } from './stack-exchange-characters.ts';
import type { ConvertedText } from './stack-exchange-content.ts';
import type { ArchiveText } from './stack-exchange-conversion.ts';
import { type CopyCell, copyRows } from './copy-rows.ts';
import {
  parseLicense,
  parseInteger,
  parseLocation,
  parsePersonName,
  parseTime,
} from './stack-exchange-fields.ts';
import type { ArchiveRow } from './stack-exchange-xml.ts';
import { mayLinkToPosts } from './stack-exchange-links.ts';
import { bountyVotes } from './stack-exchange-site-history.ts';
import { findQuestionLinks } from './stack-exchange-site.ts';
import type { RowTally } from './stack-exchange-tally.ts';

/**
 * Validates a batch of rows of one file, and inserts the valid ones into the staging tables.
 * @param texts the text of each row, converted, for files with a `FindTexts`
 */
export type StageRows = (
  client: ClientBase,
  rows: readonly ArchiveRow[],
  tally: RowTally,
  texts: readonly ConvertedText[],
) => Promise<void>;

/** Finds the text of each row of a batch, to be converted. */
export type FindTexts = (client: ClientBase, rows: readonly ArchiveRow[]) => Promise<ArchiveText[]>;

export const incompleteReason = 'incomplete or unreadable';

/** Stages what `choose` returns for each row: cells, the reason to skip the row, or null if it is staged elsewhere. */
export function stageEach<Row>(
  rows: readonly Row[],
  tally: RowTally,
  choose: (row: Row, index: number) => CopyCell[] | string | null,
): CopyCell[][] {
  const staged: CopyCell[][] = [];
  for (const [index, row] of rows.entries()) {
    const chosen = choose(row, index);
    if (typeof chosen === 'string') tally.skip(chosen);
    else if (chosen !== null) staged.push(chosen);
  }
  return staged;
}

export const findBios: FindTexts = async (_client, rows) =>
  rows.map((row) => ({ typed: null, html: row['AboutMe'] ?? '' }));

export const stageUsers: StageRows = async (client, rows, tally, bios) => {
  const staged = stageEach(rows, tally, (row, index) => {
    const id = parseInteger(row['Id']);
    const created = parseTime(row['CreationDate']);
    if (id === null || created === null) return incompleteReason;
    const bio = bios[index]?.content ?? '';
    const fits = bio !== '' && countCodePoints(bio) <= maxBioLength;
    const name = parsePersonName(row['DisplayName']) ?? `user${id}`;
    return [
      id,
      name,
      fits ? bio : null,
      parseInteger(row['Reputation']) ?? 0,
      created,
      parseLocation(row['Location']),
      parseWebsite(row['WebsiteUrl'] ?? ''),
    ];
  });
  await copyRows(client, 'archive_user (id, name, bio, reputation, created, location, website)', staged);
};

/** The limit of the column. Profiles of the network have at most 3,000 characters. */
const maxBioLength = 100_000;

export const stageComments: StageRows = async (client, rows, tally) => {
  const links: CopyCell[][] = [];
  const staged = stageEach(rows, tally, (row) => {
    const id = parseInteger(row['Id']);
    const post = parseInteger(row['PostId']);
    const created = parseTime(row['CreationDate']);
    if (id === null || post === null || created === null) return incompleteReason;
    const content = cleanText(row['Text'] ?? '').trim();
    if (content === '') return 'without text';
    for (const link of findQuestionLinks(content)) links.push([link.host, link.question, link.slug, created]);
    const author = [parseInteger(row['UserId']), parsePersonName(row['UserDisplayName'])];
    return [
      id,
      post,
      parseInteger(row['Score']) ?? 0,
      created,
      ...author,
      content,
      parseLicense(row['ContentLicense'], created),
      mayLinkToPosts(content),
    ];
  });
  await copyRows(
    client,
    'archive_comment (id, post_id, score, created, author, author_name, content, license, has_links)',
    staged,
  );
  await copyLinks(client, links);
};

export async function copyLinks(client: ClientBase, links: readonly CopyCell[][]): Promise<void> {
  if (links.length > 0) await copyRows(client, 'archive_link (host, question, slug, written)', links);
}

export const stageVotes: StageRows = async (client, rows, tally) => {
  const bounties: CopyCell[][] = [];
  const staged = stageEach(rows, tally, (row) => {
    const id = parseInteger(row['Id']);
    const post = parseInteger(row['PostId']);
    const kind = parseInteger(row['VoteTypeId']);
    const created = parseTime(row['CreationDate']);
    if (id === null || post === null || kind === null || created === null) return incompleteReason;
    const amount = readBountyAmount(row);
    if (amount !== null) {
      bounties.push([id, post, amount, created]);
      return null;
    }
    if (!importedVoteKinds.has(kind))
      return `${otherVotes.get(kind) ?? 'votes of an unknown type'} (type ${kind})`;
    return [id, post, kind, parseInteger(row['UserId']), created];
  });
  await copyRows(client, 'archive_vote (id, post_id, kind, member, created)', staged);
  if (bounties.length > 0) await copyRows(client, 'archive_bounty (id, post_id, amount, created)', bounties);
};

/** The points of a bounty; null for other votes, and for bounties of archives that have no amounts. */
function readBountyAmount(row: ArchiveRow): number | null {
  const kind = parseInteger(row['VoteTypeId']);
  if (kind !== bountyVotes.offered && kind !== bountyVotes.awarded) return null;
  const amount = parseInteger(row['BountyAmount']);
  return amount !== null && amount > 0 && amount <= serverLimits.bounty ? amount : null;
}

/** Accepted, upvote, downvote, favourite. */
const importedVoteKinds = new Set([1, 2, 3, 5]);

const otherVotes: ReadonlyMap<number, string> = new Map([
  [4, 'marks as offensive'],
  [6, 'votes to close'],
  [7, 'votes to reopen'],
  [bountyVotes.offered, 'bounties without an amount'],
  [bountyVotes.awarded, 'bounties without an amount'],
  [10, 'votes to delete'],
  [11, 'votes to undelete'],
  [12, 'marks as spam'],
  [13, 'notes to moderators'],
  [14, 'nominations'],
  [15, 'reviews by moderators'],
  [16, 'approved edits'],
]);

export const stageTags: StageRows = async (client, rows, tally) => {
  const staged = stageEach(rows, tally, (row) => {
    const name = cleanLine(row['TagName'] ?? '');
    if (name === '') return incompleteReason;
    const path = `tags/${encodeURIComponent(name)}/info`;
    return [tagKey(name), path, parseInteger(row['ExcerptPostId']), parseInteger(row['WikiPostId'])];
  });
  await copyRows(client, 'archive_tag (key, path, excerpt, wiki)', staged);
};
