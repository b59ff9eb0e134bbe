import type { Reader } from '#server/platform/database.ts';
import type { Viewer } from '#server/platform/http.ts';
import { decodeCursor, page } from '#server/posts/cursor.ts';
import type { CareEntry, CareLog } from '#shared/care.ts';
import { logEntries, type LogRow } from './log-queries.ts';

/** Entries a page shows. */
const pageSize = 30;

/**
 * What operators did and why, the latest first. Every member reads it; who did it, whom it was about, and how it was
 * before is for operators.
 */
export async function readLog(
  db: Reader,
  { viewer, cursor }: { viewer: Viewer; cursor: string | undefined },
): Promise<CareLog> {
  const rows = await logEntries(db, { before: decodeCursor(cursor)?.id ?? null, limit: pageSize + 1 });
  const { items, nextCursor } = page(rows, pageSize, (row) => ({ after: 0, id: row.id }));
  const isOperator = viewer.standing.role === 'operator';
  return { items: items.map((row) => (isOperator ? toEntry(row) : forMembers(toEntry(row)))), nextCursor };
}

function toEntry(row: LogRow): CareEntry {
  const { post_kind: kind, post_id: id } = row;
  return {
    id: row.id,
    at: row.created_at.toISOString(),
    action: row.action,
    reason: row.reason,
    postKind: kind,
    questionId: row.title === null ? null : row.question_id,
    title: row.title,
    operatorName: row.operator_name,
    memberId: row.member_id,
    memberName: row.member_name,
    before: row.before,
    restorable: row.hidden_post_id === null || kind === null || id === null ? null : { kind, id },
  };
}

function forMembers(entry: CareEntry): CareEntry {
  return { ...entry, operatorName: null, memberId: null, memberName: null, before: null, restorable: null };
}
