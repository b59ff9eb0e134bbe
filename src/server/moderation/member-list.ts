import { decodeCursor, paginate } from '#server/core/cursor.ts';
import type { Reader } from '#server/core/database.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import { judgePost } from '#server/posts/index.ts';
import type { ListedMember, MemberFilter, MemberList } from '#shared/moderation/member-list.ts';
import {
  type ListedMemberRow,
  listLatestMembers,
  listMembersNamed,
  listMembersWithEmail,
} from './member-list-queries.ts';
import type { Moderator } from './moderator.ts';

/** Members per page, and per search. */
const pageSize = 100;

/**
 * Returns the members with an account: the latest first, or those that a search finds, by name.
 * @param q the beginning of a name, or for admins a whole email address: moderators do not see addresses
 * @throws ProblemError 'invalid' for a malformed cursor
 */
export async function readMemberList(
  db: Reader,
  wanted: {
    moderator: Moderator;
    q: string;
    show: MemberFilter;
    cursor: string | undefined;
    rules: ProfileRules;
  },
): Promise<MemberList> {
  const { moderator, q, show, rules } = wanted;
  const isAdmin = moderator.memberStatus.role === 'admin';
  const toItem = (row: ListedMemberRow): ListedMember => {
    const item = toListedMember(row, { isAdmin });
    return show === 'profile_links'
      ? { ...item, bio: row.bio, website: row.website, matchedRules: judgeProfile(row, rules) }
      : item;
  };
  const cursor = decodeCursor(wanted.cursor);
  if (q === '') {
    const before = cursor === null ? null : { at: new Date(cursor.after), id: cursor.id };
    const rows = await listLatestMembers(db, { show, before, limit: pageSize + 1 });
    const { items, nextCursor } = paginate(rows, pageSize, (row) => ({
      after: row.registeredAt.getTime(),
      id: row.id,
    }));
    return { items: items.map(toItem), nextCursor, hasMore: false };
  }
  const isAddress = isAdmin && q.includes('@');
  const rows = isAddress
    ? await listMembersWithEmail(db, { show, email: q })
    : await listMembersNamed(db, { show, beginning: q, limit: pageSize + 1 });
  return {
    items: rows.slice(0, pageSize).map(toItem),
    nextCursor: null,
    hasMore: rows.length > pageSize,
  };
}

type ProfileRules = { settings: Pick<SiteSettings, 'get'>; publicUrl: string | null };

/** The spam rules that a profile matches, as a post with its name, bio and website would. */
function judgeProfile({ displayName, bio, website }: ListedMemberRow, { settings, publicUrl }: ProfileRules) {
  const text = `${displayName}\n${bio ?? ''}\n${website ?? ''}`;
  return judgePost({ text, before: null, publicUrl, recentPosts: 0 }, settings).reasons.filter(
    ({ rule }) => rule !== 'speed',
  );
}

function toListedMember(row: ListedMemberRow, { isAdmin }: { isAdmin: boolean }): ListedMember {
  const { email: _, emailsOffSince: since, emailsOffReason: reason, ...shown } = row;
  return {
    ...shown,
    bio: null,
    website: null,
    matchedRules: [],
    registeredAt: row.registeredAt.toISOString(),
    lastSignInAt: row.lastSignInAt?.toISOString() ?? null,
    suspendedUntil: row.suspendedUntil?.toISOString() ?? null,
    // The words of a mail server can contain the address.
    emailsOff: isAdmin && since !== null ? { since: since.toISOString(), reason: reason ?? '' } : null,
  };
}

/** Rows that one query of an export reads. */
const exportBatch = 500;

/** Yields all members with an account and their email addresses, the latest first. */
export async function* exportMembers(
  db: Reader,
  { show }: { show: MemberFilter },
): AsyncGenerator<ListedMember & { email: string }> {
  let before: { at: Date; id: number } | null = null;
  for (;;) {
    const rows: ListedMemberRow[] = await listLatestMembers(db, { show, before, limit: exportBatch });
    for (const row of rows) yield { ...toListedMember(row, { isAdmin: true }), email: row.email };
    const last = rows.at(-1);
    if (last === undefined || rows.length < exportBatch) return;
    before = { at: last.registeredAt, id: last.id };
  }
}
