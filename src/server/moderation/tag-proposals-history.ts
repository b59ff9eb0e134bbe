import type { Reader } from '#server/core/database.ts';
import type { ReviewHistory } from '#shared/moderation/moderation.ts';
import { listEarlierDecisions } from './tag-proposals-queries.ts';

const actions = { approved: 'approve_tag', synonym: 'tag_synonym', rejected: 'reject_tag' } as const;

/** Returns the earlier decisions about the name of a proposed tag, the latest first. */
export async function readProposalHistory(
  db: Reader,
  id: number,
  limit: number,
): Promise<ReviewHistory['items']> {
  return (await listEarlierDecisions(db, { id, limit })).map((row) => ({
    id: row.id,
    at: row.decided_at.toISOString(),
    action: actions[row.status],
    reason: row.reason,
    postKind: null,
    moderatorName: row.moderator_name,
  }));
}
