import { suspensionOf } from '#server/accounts/accounts.ts';
import { databaseTime } from '#server/platform/clock.ts';
import { type Database, type Reader, type Tx, transaction } from '#server/platform/database.ts';
import { invalidField, ProblemError } from '#server/platform/errors.ts';
import { publishAll } from '#server/platform/events.ts';
import type { CareMember, MemberAction, MemberActionDraft } from '#shared/care.ts';
import { insertLog } from './log-queries.ts';
import { type CareMemberRow, lockMember, memberForCare, setSuspension } from './member-queries.ts';
import { insertNotice } from './notice-queries.ts';
import type { Operator } from './operator.ts';
import { beginRestoring, beginUndoing, latestUndoing } from './undoing.ts';

/** What is to follow in the same transaction: a mail to the member, and the work of undoing. */
export type CareDeps = {
  mail: ((tx: Tx, notice: MailedNotice) => Promise<void>) | undefined;
  work: ((tx: Tx) => Promise<void>) | undefined;
};

export type MailedNotice = {
  id: number;
  memberId: number;
  kind: 'warning' | 'suspension';
  reason: string;
  until: Date | null;
};

type Step = { operator: Operator; draft: MemberActionDraft; member: CareMemberRow; deps: CareDeps };

/**
 * Warns or suspends a member, lifts that, undoes everything their account did, or takes that back; written down with the
 * reason.
 * @throws ProblemError 'not-found', 'not-allowed' for operators, 'invalid', 'done-meanwhile'
 */
export async function actOnMember(
  db: Database,
  { operator, draft, deps }: { operator: Operator; draft: MemberActionDraft; deps: CareDeps },
): Promise<void> {
  const { action, memberId, reason } = draft;
  if (reason === '') throw invalidField('reason', 'Say why in a few words');
  await transaction(db, async (tx) => {
    const member = await lockMember(tx, memberId);
    if (member === undefined) throw new ProblemError('not-found', 'User not found');
    if (member.role === 'operator')
      throw new ProblemError(
        'not-allowed',
        'Operators answer to whoever runs this Parley, not to each other.',
      );
    const before = await doings[action](tx, { operator, draft, member, deps });
    await insertLog(tx, { operatorId: operator.id, action, reason, post: null, memberId, before });
    await publishAll(tx, [
      { topic: `member:${memberId}`, event: { kind: 'standing-changed' } },
      { topic: 'care', event: { kind: 'care-changed' } },
    ]);
  });
}

/** Each gives how it was before. */
const doings: Readonly<
  Record<MemberAction, (tx: Tx, step: Step) => Promise<Record<string, string | number | null>>>
> = {
  warn: async (tx, { draft, member, deps }) => {
    await tell(tx, deps, { memberId: member.id, kind: 'warning', reason: draft.reason, until: null });
    return { warnings: member.warnings };
  },
  suspend: async (tx, { draft, member, deps }) => {
    const until = draft.until === null ? null : new Date(draft.until);
    if (until === null || until.getTime() <= databaseTime())
      throw invalidField('until', 'Name a time that is still to come.');
    await setSuspension(tx, { memberId: member.id, until, reason: draft.reason });
    await tell(tx, deps, { memberId: member.id, kind: 'suspension', reason: draft.reason, until });
    return suspended(member);
  },
  lift: async (tx, { member }) => {
    if (suspensionOf(member) === null)
      throw new ProblemError('done-meanwhile', 'This member is not suspended any more.');
    await setSuspension(tx, { memberId: member.id, until: null, reason: null });
    return suspended(member);
  },
  undo: async (tx, { operator, draft, member, deps }) => {
    const undoingId = await beginUndoing(tx, {
      memberId: member.id,
      operatorId: operator.id,
      reason: draft.reason,
    });
    await deps.work?.(tx);
    return { undoingId };
  },
  undo_undo: async (tx, { member, deps }) => {
    const undoingId = await beginRestoring(tx, member.id);
    await deps.work?.(tx);
    return { undoingId };
  },
};

/** A member as operators see them. @throws ProblemError 'not-found' */
export async function readCareMember(db: Reader, id: number): Promise<CareMember> {
  const member = await memberForCare(db, id);
  if (member === undefined) throw new ProblemError('not-found', 'User not found');
  return {
    id,
    displayName: member.name,
    role: member.role,
    suspended: suspensionOf(member),
    warnings: member.warnings,
    hiddenPosts: member.hidden_posts,
    undoing: await latestUndoing(db, id),
  };
}

async function tell(tx: Tx, { mail }: CareDeps, notice: Omit<MailedNotice, 'id'>): Promise<void> {
  const id = await insertNotice(tx, { ...notice, title: null });
  await mail?.(tx, { ...notice, id });
}

const suspended = (member: CareMemberRow) => ({
  suspendedUntil: member.suspended_until?.toISOString() ?? null,
  suspendedFor: member.suspension_reason,
});
