import type { Reader } from '#server/core/database.ts';
import type { Viewer } from '#server/core/http.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import type { ModerationLogEntry, ModerationLog } from '#shared/moderation/moderation.ts';
import { listLogEntries, type LogEntryRow } from './moderation-log-queries.ts';

export { insertLogEntry } from './moderation-log-queries.ts';

/** Entries per page. */
const pageSize = 30;

/**
 * Returns the actions of moderators with their reasons, latest first. Every member can read them; only moderators see
 * who acted, the member concerned and the state before (docs/product.md 14.4).
 */
export async function readModerationLog(
  db: Reader,
  { viewer, cursor }: { viewer: Viewer; cursor: string | undefined },
): Promise<ModerationLog> {
  const rows = await listLogEntries(db, { before: decodeCursor(cursor)?.id ?? null, limit: pageSize + 1 });
  const { items, nextCursor } = paginate(rows, pageSize, (row) => ({ after: 0, id: row.id }));
  const isModerator = viewer.memberStatus.role === 'moderator';
  return {
    items: items.map((row) => (isModerator ? toLogEntry(row) : redactForMembers(toLogEntry(row)))),
    nextCursor,
  };
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
    before: row.before,
    restorable: row.hidden_post_id === null || kind === null || id === null ? null : { kind, id },
  };
}

function redactForMembers(entry: ModerationLogEntry): ModerationLogEntry {
  return { ...entry, moderatorName: null, memberId: null, memberName: null, before: null, restorable: null };
}
