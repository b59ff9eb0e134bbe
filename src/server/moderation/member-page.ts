import { decodeCursor, pageById, paginate } from '#server/core/cursor.ts';
import type { Reader } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { createExcerpt } from '#server/posts/index.ts';
import type {
  MemberPost,
  MemberPosts,
  MemberPostsFilter,
  MemberReports,
  MemberReportsFilter,
  MemberSignIns,
  NetworkAccounts,
} from '#shared/moderation/member-page.ts';
import {
  findSignIn,
  listHeldPostsOf,
  listHiddenPostsOf,
  listNetworkAccounts,
  listReportsOf,
  listSignIns,
  listVisiblePosts,
  memberExists,
  type MemberPostRow,
  type PostPosition,
  toPostPosition,
} from './member-page-queries.ts';
import type { Moderator } from './moderator.ts';

/** Items per page of each list. */
const pageSize = 20;

type ListRequest = { memberId: number; cursor: string | undefined };

/** Returns posts of a member as moderators see them, the latest first. */
export async function readMemberPosts(
  db: Reader,
  { memberId, show, cursor }: ListRequest & { show: MemberPostsFilter },
): Promise<MemberPosts> {
  const position = decodeCursor(cursor);
  const limit = pageSize + 1;
  if (show === 'visible') {
    const before: PostPosition | null = position && {
      at: new Date(position.after),
      rank: position.score ?? 0,
      id: position.id,
    };
    const rows = await listVisiblePosts(db, { memberId, before, limit });
    const { items, nextCursor } = paginate(rows, pageSize, (row) => {
      const { at, rank, id } = toPostPosition(row);
      return { after: at.getTime(), id, score: rank };
    });
    return { items: items.map(toMemberPost), nextCursor };
  }
  const list = show === 'hidden' ? listHiddenPostsOf : listHeldPostsOf;
  const rows = await list(db, { memberId, before: position?.id ?? null, limit });
  const { items, nextCursor } = paginate(rows, pageSize, (row) => ({ after: 0, id: row.list_id }));
  return { items: items.map(toMemberPost), nextCursor };
}

function toMemberPost(row: MemberPostRow): MemberPost {
  const { objection } = row;
  const { excerpt: text, cut } = createExcerpt(row.content);
  return {
    kind: row.kind,
    id: row.id,
    questionId: row.question_id,
    title: row.title,
    excerpt: text,
    excerptCut: cut,
    createdAt: row.created_at.toISOString(),
    status: row.status,
    reason: row.reason,
    objection: objection === null ? null : { text: objection, decided: row.is_decided },
  };
}

/** Returns reports on posts of a member, or by the member, the latest first. */
export async function readMemberReports(
  db: Reader,
  { memberId, show, cursor }: ListRequest & { show: MemberReportsFilter },
): Promise<MemberReports> {
  return pageById(cursor, pageSize, (before, limit) => listReportsOf(db, { memberId, show, before, limit }));
}

/** Returns sign-ins of a member, the latest first. Only admins see addresses. */
export async function readSignIns(
  db: Reader,
  { moderator, memberId, cursor }: ListRequest & { moderator: Moderator },
): Promise<MemberSignIns> {
  const withAddresses = moderator.memberStatus.role === 'admin';
  return pageById(cursor, pageSize, (before, limit) =>
    listSignIns(db, { memberId, before, limit, withAddresses }),
  );
}

/**
 * Returns the other accounts that signed in from the network of a sign-in.
 * @throws ProblemError 'not-found' if the sign-in is not stored any more
 */
export async function readNetworkAccounts(
  db: Reader,
  { signInId, cursor }: { signInId: number; cursor: string | undefined },
): Promise<NetworkAccounts> {
  const signIn = await findSignIn(db, signInId);
  if (signIn === undefined) throw new ProblemError('sign-in-not-found');
  const { network, member_id: except } = signIn;
  if (network === null) return { items: [], nextCursor: null };
  return pageById(cursor, pageSize, (before, limit) =>
    listNetworkAccounts(db, { network, except, before, limit }),
  );
}

/** @throws ProblemError 'user-not-found' */
export async function requireMember(db: Reader, memberId: number): Promise<void> {
  if (!(await memberExists(db, memberId))) throw new ProblemError('user-not-found');
}
