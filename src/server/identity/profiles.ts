import { refuseImpersonation } from './display-names.ts';
import type { QueueFormerName } from './former-names.ts';
import { buildProfileEvents, getSourceAddress, toAnswerCard } from '#server/posts/index.ts';
import { type Database, type Reader, transaction } from '#server/core/database.ts';
import { publishAll } from '#server/core/events.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { isMember, type PublicEnv, type Viewer } from '#server/core/http.ts';
import { createRateLimit } from '#server/core/rate-limits.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { type Cursor, decodeCursor, paginate } from '#server/core/cursor.ts';
import { displayName as displayNameSchema } from '#shared/identity/accounts.ts';
import { limits, serverLimits } from '#shared/core/limits.ts';
import { parseWebsite } from '#server/core/websites.ts';
import { normalizeName } from '#shared/identity/display-names.ts';
import type { AnswerCards, MemberSettings, Profile, SettingsChange } from '#shared/identity/profiles.ts';
import type { QuestionCards } from '#shared/posts/questions.ts';
import {
  findProfile,
  getMemberSettings,
  listAnswersBy,
  listQuestionsBy,
  updateMemberSettings,
} from './profiles-queries.ts';

/**
 * Returns a member as others see them. Members always see their own address, but their programs see what others see.
 * Visitors see none.
 */
export async function readProfile(
  db: Reader,
  { id, viewer, canViewEmail }: ProfileRequest,
): Promise<Profile> {
  const row = await requireMember(db, id);
  const isOwn = row.id === viewer.id;
  const seesOwnEmail = isOwn && isMember(viewer) && viewer.tokenId === null;
  const isShown = isMember(viewer) && row.email !== null && row.show_email;
  const isEmailVisible = isShown && !seesOwnEmail && (await canViewEmail(viewer.id, row.id));
  return {
    id: row.id,
    displayName: row.display_name ?? 'Member',
    avatar: row.avatar,
    isBot: row.is_bot,
    email: seesOwnEmail || isEmailVisible === true ? row.email : null,
    emailWithheld: isEmailVisible === 'too-many' ? isEmailVisible : null,
    // The texts of an account whose activity is removed go with it.
    ...(row.is_removed && !isOwn
      ? { bio: null, location: null, website: null }
      : { bio: row.bio, location: row.location, website: row.website }),
    createdAt: row.created_at.toISOString(),
    reputation: Math.max(0, row.reputation),
    questionsCount: row.questions_count,
    answersCount: row.answers_count,
    upvotes: row.upvotes,
    views: row.views,
    sourceUrl:
      row.source_site === null || row.source_key === null
        ? null
        : getSourceAddress(row.source_site, 'users', row.source_key),
    importedBadges: row.imported_badges,
  };
}

/** Whether a member may see the address of another who shows it. */
export type CanViewEmail = (viewerId: number, memberId: number) => Promise<boolean | 'too-many'>;

type ProfileRequest = { id: number; viewer: PublicEnv['Variables']['viewer']; canViewEmail: CanViewEmail };

/** Limits how many other members' addresses a member may view in an hour. Viewing one again does not count. */
export function createEmailViewLimit(db: Database, { profileEmail }: Pick<OperatorSettings, 'profileEmail'>) {
  const hour = { seconds: 60 * 60 };
  const viewedPairs = createRateLimit(db, { name: 'email-view-pairs', points: 1, ...hour });
  const viewLimit = createRateLimit(db, {
    name: 'email-views',
    points: serverLimits.emailViewsPerHour,
    ...hour,
  });
  return async (viewerId: number, memberId: number): Promise<boolean | 'too-many'> => {
    if (profileEmail === 'never') return false;
    const pair = `${viewerId} ${memberId}`;
    if ((await viewedPairs.consumed(pair)) > 0) return true;
    if (!(await viewLimit.consume(String(viewerId)))) return 'too-many';
    await viewedPairs.consume(pair);
    return true;
  };
}

/** @throws ProblemError 'not-found' */
async function requireMember(db: Reader, id: number) {
  const row = await findProfile(db, id);
  if (row === undefined) throw new ProblemError('user-not-found');
  return row;
}

type MemberPostsRequest = { id: number; cursor: string | undefined };

/** Returns a page of a member's questions, newest first. */
export async function readQuestionsBy(
  db: Reader,
  { id, cursor }: MemberPostsRequest,
): Promise<QuestionCards> {
  const rows = await listQuestionsBy(db, {
    memberId: id,
    cursor: decodeCursor(cursor),
    limit: serverLimits.feedPage + 1,
  });
  if (rows.length === 0) await requireMember(db, id);
  const { items, nextCursor } = paginate(rows, serverLimits.feedPage, toTimeCursor);
  return { items: items.map(({ card }) => card), nextCursor };
}

/** Returns a page of a member's answers, newest first. */
export async function readAnswersBy(db: Reader, { id, cursor }: MemberPostsRequest): Promise<AnswerCards> {
  const rows = await listAnswersBy(db, {
    memberId: id,
    cursor: decodeCursor(cursor),
    limit: serverLimits.feedPage + 1,
  });
  if (rows.length === 0) await requireMember(db, id);
  const { items, nextCursor } = paginate(rows, serverLimits.feedPage, toTimeCursor);
  return { items: items.map(toAnswerCard), nextCursor };
}

/** @throws ProblemError for what is not the address of a website */
function requireWebsite(text: string | null): string | null {
  if (text === null || text === '') return null;
  const website = parseWebsite(text);
  if (website === null) throw invalidFieldError('website', 'website-not-valid', { max: limits.website });
  return website;
}

export async function readSettings(db: Reader, viewer: Viewer): Promise<MemberSettings> {
  const row = await getMemberSettings(db, viewer.id);
  const { bio, location, website, show_email: showEmail } = row;
  return { displayName: row.display_name ?? row.email ?? '', bio, location, website, showEmail };
}

/**
 * Changes the viewer's profile settings. A new name appears everywhere immediately.
 * @throws ProblemError 'invalid'; 'signed-out' if the account was deleted meanwhile
 */
export async function changeSettings(
  db: Database,
  {
    viewer,
    settings,
    queueFormerName,
  }: { viewer: Viewer; settings: SettingsChange; queueFormerName: QueueFormerName | undefined },
): Promise<MemberSettings> {
  const chosen = displayNameSchema.safeParse(settings.displayName);
  await transaction(db, async (tx) => {
    const current = await getMemberSettings(tx, viewer.id);
    const before = current.display_name;
    // Imported names and older names that break a newer rule stay valid.
    const isUnchanged = before !== null && normalizeName(before) === settings.displayName;
    if (!isUnchanged) {
      if (!chosen.success) throw invalidFieldError('displayName', 'name-characters-not-allowed');
      await refuseImpersonation(tx, settings.displayName, viewer.id);
    }
    const displayName = isUnchanged ? before : settings.displayName;
    const isChanged = await updateMemberSettings(tx, {
      id: viewer.id,
      ...settings,
      displayName,
      bio: settings.bio === '' ? null : settings.bio,
      location: settings.location === undefined ? current.location : settings.location || null,
      website: settings.website === undefined ? current.website : requireWebsite(settings.website),
    });
    if (!isChanged) throw new ProblemError('signed-out');
    if (!isUnchanged) await queueFormerName?.(tx, viewer.id);
    // Published even if the name did not change: this is rare, and at most reads some pages again.
    const renamed = { topic: `profile:${viewer.id}`, event: { kind: 'member-renamed' } } as const;
    await publishAll(tx, [...buildProfileEvents([viewer.id]), renamed]);
  });
  return readSettings(db, viewer);
}

const toTimeCursor = (row: { created_at: Date; id: number }): Cursor => ({
  after: row.created_at.getTime(),
  id: row.id,
});
