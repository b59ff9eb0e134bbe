import { toAnswerCard } from '#server/answers/cards.ts';
import { type Database, type Reader, transaction } from '#server/platform/database.ts';
import { publishAll } from '#server/platform/events.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import { type Cursor, decodeCursor, page } from '#server/posts/cursor.ts';
import { profilesChanged } from '#server/posts/told.ts';
import { toQuestionCard } from '#server/questions/cards.ts';
import { limits } from '#shared/limits.ts';
import type { AnswerCards, MemberSettings, Profile } from '#shared/profiles.ts';
import type { QuestionCards } from '#shared/questions.ts';
import { answersBy, memberProfile, ownSettings, questionsBy, updateSettings } from './queries.ts';

/** A member as others see them; the member themselves always see their address. */
export async function readProfile(
  db: Reader,
  { id, viewer }: { id: number; viewer: Viewer },
): Promise<Profile> {
  const row = await memberProfile(db, id);
  if (row === undefined) throw new ProblemError('not-found', 'User not found');
  const seesEmail = row.show_email || row.id === viewer.id;
  return {
    id: row.id,
    displayName: row.display_name ?? row.email ?? '',
    email: seesEmail ? row.email : null,
    bio: row.bio,
    createdAt: row.created_at.toISOString(),
    reputation: Math.max(0, row.reputation),
    questionsCount: row.questions_count,
    answersCount: row.answers_count,
    upvotes: row.upvotes,
    views: row.views,
    sourceUrl: row.source_site === null ? null : `https://${row.source_site}/users/${row.source_key}`,
  };
}

type Wanted = { id: number; viewer: Viewer; cursor: string | undefined };

/** A member's questions, newest first. */
export async function readQuestionsBy(db: Reader, { id, viewer, cursor }: Wanted): Promise<QuestionCards> {
  const rows = await questionsBy(db, {
    memberId: id,
    cursor: decodeCursor(cursor),
    limit: limits.feedPage + 1,
  });
  if (rows.length === 0) await readProfile(db, { id, viewer });
  const { items, nextCursor } = page(rows, limits.feedPage, byTime);
  return { items: items.map(toQuestionCard), nextCursor };
}

/** A member's answers, newest first. */
export async function readAnswersBy(db: Reader, { id, viewer, cursor }: Wanted): Promise<AnswerCards> {
  const rows = await answersBy(db, {
    memberId: id,
    cursor: decodeCursor(cursor),
    limit: limits.feedPage + 1,
  });
  if (rows.length === 0) await readProfile(db, { id, viewer });
  const { items, nextCursor } = page(rows, limits.feedPage, byTime);
  return { items: items.map(toAnswerCard), nextCursor };
}

export async function readSettings(db: Reader, viewer: Viewer): Promise<MemberSettings> {
  const row = await ownSettings(db, viewer.id);
  return { displayName: row.display_name ?? row.email ?? '', bio: row.bio, showEmail: row.show_email };
}

/** Changes what the viewer decides about themselves; a new name shows everywhere at once. */
export async function changeSettings(
  db: Database,
  { viewer, settings }: { viewer: Viewer; settings: MemberSettings },
): Promise<MemberSettings> {
  await transaction(db, async (tx) => {
    await updateSettings(tx, { id: viewer.id, ...settings, bio: settings.bio === '' ? null : settings.bio });
    // Also where the name is what it was: this is rare, and pages with it are looked up again at most.
    const renamed = { topic: `profile:${viewer.id}`, event: { kind: 'member-renamed' } } as const;
    await publishAll(tx, [...profilesChanged([viewer.id]), renamed]);
  });
  return readSettings(db, viewer);
}

const byTime = (row: { created_at: Date; id: number }): Cursor => ({
  after: row.created_at.getTime(),
  id: row.id,
});
