import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import { applyTagProposals, leaveReviewQueue } from '#server/posts/index.ts';
import { tagKey } from '#shared/core/text.ts';
import type { TagProposalDecision } from '#shared/moderation/moderation.ts';
import type { ModerationDeps } from './member-actions.ts';
import { insertLogEntry } from './moderation-log-queries.ts';
import type { Moderator } from './moderator.ts';
import { refuseOthersClaim } from './review-queue.ts';
import { lockClaim } from './review-queue-queries.ts';
import { makeSynonym } from './tag-changes.ts';
import { lockTagsByKey } from './tag-changes-queries.ts';
import {
  createProposedTag,
  findTagProposal,
  lockOpenProposal,
  setProposalDecided,
} from './tag-proposals-queries.ts';

/** Milliseconds for which a request applies the decision to the questions itself. The job does the rest. */
const immediateMs = 500;

type Deciding = { moderator: Moderator; draft: TagProposalDecision; proposal: { name: string; key: string } };

/**
 * Decides about a proposed tag (docs/product.md 9.11). Its questions get the tag and their authors a message in small
 * transactions: mostly before this returns, else in the background.
 * @throws ProblemError 'not-found', 'already-handled' if it is decided or another moderator works on it, 'invalid'
 * without a reason for a rejection, or if the tag of a synonym does not exist
 */
export async function decideTagProposal(
  db: Database,
  wanted: { id: number; moderator: Moderator; draft: TagProposalDecision; deps: ModerationDeps },
): Promise<void> {
  const { id, moderator, draft, deps } = wanted;
  if (draft.decision === 'reject' && draft.reason === '')
    throw invalidFieldError('reason', 'reason-required');
  await transaction(db, async (tx) => {
    const proposal = await findTagProposal(tx, id);
    if (proposal === undefined) throw new ProblemError('tag-proposal-decided');
    // Tags are locked before proposals, as by members who create or use them.
    const { tagId, status, events } = await handlers[draft.decision](tx, { moderator, draft, proposal });
    if (!(await lockOpenProposal(tx, id))) throw new ProblemError('tag-proposal-decided');
    const claim = await lockClaim(tx, { column: 'tag_proposal_id', id });
    if (claim !== undefined) refuseOthersClaim(claim, moderator);
    await setProposalDecided(tx, { id, status, tagId, reason: draft.reason, decidedBy: moderator.id });
    await publishAll(tx, events);
    await leaveReviewQueue(tx);
    await deps.queueWork?.(tx);
  });
  await applyTagProposals(db, Date.now() + immediateMs);
}

type Decided = {
  status: 'approved' | 'synonym' | 'rejected';
  tagId: number | null;
  events: TopicEvent[];
};

const handlers: Readonly<
  Record<TagProposalDecision['decision'], (tx: Tx, deciding: Deciding) => Promise<Decided>>
> = {
  approve: async (tx, deciding) => {
    const tag = await createProposedTag(tx, deciding.proposal);
    await logDecision(tx, deciding, 'approve_tag');
    return { status: 'approved', tagId: tag.id, events: tagChanged(tag.name) };
  },
  synonym: async (tx, { moderator, draft, proposal }) => {
    const mainKey = tagKey(draft.synonymOf.trim());
    const rows = await lockTagsByKey(tx, [mainKey, proposal.key]);
    const main = rows.get(mainKey);
    if (main === undefined) throw invalidFieldError('synonymOf', 'tag-not-found');
    if (main.synonym_of !== null) throw invalidFieldError('synonymOf', 'tag-is-synonym');
    const known = rows.get(proposal.key);
    await makeSynonym(tx, { main, name: proposal.name, known, moderator, reason: draft.reason });
    return { status: 'synonym', tagId: main.id, events: [] };
  },
  reject: async (tx, deciding) => {
    await logDecision(tx, deciding, 'reject_tag');
    return { status: 'rejected', tagId: null, events: [] };
  },
};

async function logDecision(
  tx: Tx,
  { moderator, draft, proposal }: Deciding,
  action: 'approve_tag' | 'reject_tag',
): Promise<void> {
  const entry = { moderatorId: moderator.id, action, reason: draft.reason, subject: proposal.name };
  await insertLogEntry(tx, { ...entry, post: null, memberId: null, before: {} });
}

const tagChanged = (tag: string): TopicEvent[] => [{ topic: 'tags', event: { kind: 'tag-changed', tag } }];
