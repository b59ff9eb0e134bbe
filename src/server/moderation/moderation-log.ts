import type { Reader } from '#server/core/database.ts';
import type { Viewer } from '#server/core/http.ts';
import { pageById } from '#server/core/cursor.ts';
import { canModerate } from '#shared/identity/roles.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { ModerationLogEntry, ModerationLog, ReviewHistory } from '#shared/moderation/moderation.ts';
import { tagKey, truncateWithEllipsis } from '#shared/core/text.ts';
import {
  findReviewedPost,
  listLogEntries,
  listPostLogEntries,
  type LogEntryRow,
  type LoggedState,
} from './moderation-log-queries.ts';

export { insertLogEntry } from './moderation-log-queries.ts';
import type { Moderator } from './moderator.ts';
import { listRemovedNames } from './tag-names-removal.ts';
import { readProposalHistory } from './tag-proposals-history.ts';

/** Entries per page. */
const pageSize = 30;

/**
 * Returns the actions of moderators with their reasons, latest first. Every member can read them; only moderators see
 * who acted, the member concerned and the state before (docs/product.md 14.4). Their programs see what members see
 * (docs/decisions/100).
 */
export async function readModerationLog(
  db: Reader,
  { viewer, cursor }: { viewer: Viewer; cursor: string | undefined },
): Promise<ModerationLog> {
  const { items, nextCursor } = await readEntries(db, { memberId: null, cursor });
  const seesAll = canModerate(viewer.memberStatus.role) && viewer.tokenId === null;
  return { items: seesAll ? items : await hideRemovedNames(db, items.map(redactForMembers)), nextCursor };
}

const actionsOnTags = new Set<string>(['approve_tag', 'tag_texts', 'tag_synonym', 'tag_merge', 'tag_rename']);

/** Entries from before a name of a tag was removed show the present name of the tag. */
async function hideRemovedNames(
  db: Reader,
  entries: readonly ModerationLogEntry[],
): Promise<ModerationLogEntry[]> {
  const keyOf = ({ action, subject }: ModerationLogEntry) =>
    subject !== null && actionsOnTags.has(action) ? tagKey(subject) : null;
  const removed = await listRemovedNames(db, [...new Set(entries.map(keyOf).filter((key) => key !== null))]);
  return entries.map((entry) => {
    const key = keyOf(entry);
    const name = removed.find((each) => each.key === key && each.at >= new Date(entry.at))?.name;
    return name === undefined ? entry : { ...entry, subject: name };
  });
}

/** Returns the actions that concern a member, for moderators, latest first. */
export function readLogOfMember(
  db: Reader,
  { memberId, cursor }: { moderator: Moderator; memberId: number; cursor: string | undefined },
): Promise<ModerationLog> {
  return readEntries(db, { memberId, cursor });
}

async function readEntries(
  db: Reader,
  { memberId, cursor }: { memberId: number | null; cursor: string | undefined },
): Promise<ModerationLog> {
  const { items, nextCursor } = await pageById(cursor, pageSize, (before, limit) =>
    listLogEntries(db, { memberId, before, limit }),
  );
  return { items: items.map(toLogEntry), nextCursor };
}

/** Actions on one post that are shown at most. */
const maxHistory = 50;

/**
 * Returns the actions of moderators on the post of an entry of the review queue, the latest first.
 * @throws ProblemError 'already-handled' if the post no longer waits
 */
export async function readReviewHistory(db: Reader, itemId: number): Promise<ReviewHistory['items']> {
  const post = await findReviewedPost(db, itemId);
  if (post === undefined) throw new ProblemError('handled-already');
  if (post.tag_proposal_id !== null) return readProposalHistory(db, post.tag_proposal_id, maxHistory);
  const rows = await listPostLogEntries(db, { post, limit: maxHistory });
  return rows.map((row) => ({
    id: row.id,
    at: row.created_at.toISOString(),
    action: row.action,
    reason: row.reason,
    postKind: post.kind,
    moderatorName: row.moderator_name,
  }));
}

function toLogEntry(row: LogEntryRow): ModerationLogEntry {
  const { post_kind: kind, post_id: id } = row;
  return {
    id: row.id,
    at: row.created_at.toISOString(),
    action: row.action,
    reason: row.reason,
    postKind: kind,
    questionId: row.title === null ? null : row.question_id,
    title: row.title,
    moderatorName: row.moderator_name,
    memberId: row.member_id,
    memberName: row.member_name,
    subject: row.subject,
    before: shorten(row.before),
    after: shorten(row.after),
    restorable: row.hidden_post_id === null || kind === null || id === null ? null : { kind, id },
  };
}

/** Settings can be whole pages of text. */
function shorten(state: LoggedState): NonNullable<ModerationLogEntry['before']> {
  const shortened = Object.entries(state).map(([name, value]) => {
    if (typeof value === 'string') return [name, truncateWithEllipsis(value, 200)] as const;
    if (value === null || typeof value !== 'object') return [name, value] as const;
    return [name, value.slice(0, 10).map((line) => truncateWithEllipsis(line, 200))] as const;
  });
  return Object.fromEntries(shortened);
}

function redactForMembers(entry: ModerationLogEntry): ModerationLogEntry {
  return {
    ...entry,
    moderatorName: null,
    memberId: null,
    memberName: null,
    // A rejected name of a tag was never public, and can be abusive.
    subject: entry.action === 'reject_tag' ? null : entry.subject,
    before: null,
    after: null,
    restorable: null,
  };
}
