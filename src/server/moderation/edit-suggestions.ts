import { decodeCursor, paginate } from '#server/core/cursor.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import { parseFields, type Viewer } from '#server/core/http.ts';
import { notifyMember } from '#server/notifications/index.ts';
import {
  areTextsEqual,
  type EditablePost,
  type EditedTexts,
  editPost,
  endDraft,
  findReviewReasons,
  joinTexts,
  lockEditablePost,
  refuseLocked,
  refuseStaleEdit,
  refuseTexts,
} from '#server/posts/index.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { canModerate } from '#shared/identity/roles.ts';
import {
  answerSuggestion,
  type EditDecision,
  type EditSuggestion,
  type EditSuggestionList,
  type EditSuggestions,
  type EditSuggestionStatus,
  type EditSuggestionTexts,
  questionSuggestion,
  replySuggestion,
} from '#shared/moderation/edit-suggestions.ts';
import type { NotificationKind } from '#shared/notifications/notification-kinds.ts';
import { draftTargets } from '#shared/posts/drafts.ts';
import { type AbilitySettings, readAbilities } from './abilities.ts';
import { mergeEdit } from './edit-merge.ts';
import {
  listSuggestionsOfToday,
  countSuggestionsToReview,
  type EditSuggestionRow,
  type EditSuggestionTextsRow,
  findEditSuggestion,
  hasOpenSuggestion,
  insertEditSuggestion,
  listOwnSuggestions,
  listSuggestionsToReview,
  lockEditSuggestion,
  type Reviewer,
  setEditSuggestionDecided,
  withdrawOwnSuggestion,
} from './edit-suggestions-queries.ts';
import { insertLogEntry } from './moderation-log-queries.ts';

type Posting = { settings: AbilitySettings; publicUrl: string | null };

/** @param key the key of the draft, if any */
type SuggestedEdit = Posting & {
  post: PostRef;
  viewer: Viewer;
  key: string | undefined;
  texts: EditedTexts;
  summary: string;
  basedOn: string | null | undefined;
};

/**
 * Suggests an edit to a post of someone else, or makes it if the viewer may edit directly (docs/product.md 24.1).
 * @throws ProblemError 'not-found', 'locked', 'not-allowed' for own posts and when the limits are reached, 'edit-conflict',
 * 'invalid' for an edit that changes nothing
 */
export async function suggestEdit(
  db: Database,
  edit: SuggestedEdit,
): Promise<{ id: number; status: EditSuggestionStatus }> {
  const { viewer, post: ref, texts, summary, settings, publicUrl } = edit;
  return transaction(db, async (tx) => {
    const post = await lockEditablePost(tx, ref);
    const abilities = await readAbilities(tx, { viewer, settings });
    await refuseSuggestion(tx, { ...edit, post, isDirect: abilities.editDirectly });
    if (!abilities.suggestEdits) throw new ProblemError('edit-suggestions-off');
    const moderatorsOnly = !abilities.editDirectly && (await needsModerator(tx, { ...edit, post }));
    const id = await insertEditSuggestion(tx, {
      post: ref,
      postAuthorId: post.author_id,
      memberId: viewer.id,
      summary,
      texts,
      base: post,
      moderatorsOnly,
      isDirect: abilities.editDirectly,
    });
    if (abilities.editDirectly)
      await editPost(tx, { post, texts, viewer, key: undefined, suggestionId: id, publicUrl, settings });
    const target = draftTargets.edit(ref);
    const draftEvents = await endDraft(tx, { memberId: viewer.id, target, key: edit.key, text: texts });
    const kind = abilities.editDirectly ? 'edited' : 'edit_suggested';
    await publishAll(tx, [
      ...draftEvents,
      ...(moderatorsOnly
        ? []
        : await notify(tx, { kind, senderId: viewer.id, recipientId: post.author_id, post })),
      { topic: 'moderation', event: { kind: 'moderation-changed' } },
    ]);
    return { id, status: abilities.editDirectly ? 'approved' : 'open' };
  });
}

async function refuseSuggestion(
  tx: Tx,
  edit: Omit<SuggestedEdit, 'post'> & { post: EditablePost; isDirect: boolean },
): Promise<void> {
  const { post, viewer, texts, basedOn, settings, isDirect } = edit;
  if (post.author_id === viewer.id) throw new ProblemError('own-post-suggestion');
  refuseLocked(post.lockReason);
  refuseStaleEdit({ kind: post.post.kind, old: post }, basedOn);
  if (areTextsEqual(post, texts)) throw invalidFieldError('content', 'suggestion-unchanged');
  if (isDirect) return;
  await refuseTexts(tx, edit);
  const perDay = settings.get('editSuggestionsPerDay');
  if (perDay === 0) return;
  if (await hasOpenSuggestion(tx, { post: post.post, memberId: viewer.id }))
    throw new ProblemError('suggestion-open-already');
  const today = await listSuggestionsOfToday(tx, viewer.id);
  const retryAfter = today[today.length - perDay];
  if (retryAfter !== undefined)
    throw new ProblemError('too-many-suggestions', { params: { max: perDay }, retryAfter });
}

/** Whether a post with this text would wait for moderators: then members do not see the suggestion either. */
async function needsModerator(
  tx: Tx,
  { post, viewer, texts, settings, publicUrl }: Omit<SuggestedEdit, 'post'> & { post: EditablePost },
): Promise<boolean> {
  const written = {
    post: { kind: post.post.kind, id: null },
    viewer,
    text: joinTexts(texts),
    before: joinTexts(post),
  };
  return (await findReviewReasons(tx, { posts: [written], settings, publicUrl })).size > 0;
}

/**
 * Decides a suggestion: as the author of the post, a moderator or a member of enough reputation (docs/product.md 24.2).
 * @throws ProblemError 'not-found' for other members, 'already-handled', 'locked', 'edit-conflict' if the post has
 * changed since the reviewer saw it, or if the changes do not merge
 */
export async function decideSuggestion(
  db: Database,
  wanted: Posting & { id: number; viewer: Viewer; decision: EditDecision },
): Promise<void> {
  const { id, viewer, decision, settings, publicUrl } = wanted;
  await transaction(db, async (tx) => {
    const found = await findEditSuggestion(tx, id);
    if (found === undefined) throw suggestionNotFound();
    const post = await lockEditablePost(tx, refOf(found));
    const status = await lockEditSuggestion(tx, id);
    await requireReviewer(tx, { row: found, post, viewer, settings });
    if (status !== 'open') throw new ProblemError('suggestion-decided');
    if (decision.decision === 'reject') {
      if (decision.reason === '') throw invalidFieldError('reason', 'reason-required');
      await setEditSuggestionDecided(tx, {
        id,
        status: 'rejected',
        decidedBy: viewer.id,
        reason: decision.reason,
      });
    } else {
      refuseStaleEdit({ kind: post.post.kind, old: post }, decision.basedOn);
      const texts = chooseTexts(decision, { found, post });
      await setEditSuggestionDecided(tx, {
        id,
        status: 'approved',
        decidedBy: viewer.id,
        isChanged: decision.texts !== null,
      });
      // The reviewer has seen the text: it waits for a moderator only if the reviewer is none.
      const suggested = { editorId: found.member_id, content: found.content };
      const edit = { viewer, suggested, key: undefined, suggestionId: id };
      await editPost(tx, { post, texts, ...edit, publicUrl, settings });
    }
    await recordDecision(tx, { row: found, post, viewer, decision });
  });
}

async function recordDecision(
  tx: Tx,
  decided: { row: EditSuggestionTextsRow; post: EditablePost; viewer: Viewer; decision: EditDecision },
): Promise<void> {
  const { row, post, viewer, decision } = decided;
  const isRejected = decision.decision === 'reject';
  if (canModerate(viewer.memberStatus.role))
    await insertLogEntry(tx, {
      moderatorId: viewer.id,
      action: isRejected ? 'reject_edit' : 'approve_edit',
      reason: isRejected ? decision.reason : '',
      post: { ...post.post, questionId: post.location.questionId },
      memberId: row.member_id,
      before: {},
    });
  const kind = isRejected ? 'edit_rejected' : 'edit_approved';
  // In the name of the one who wrote the text.
  const edited = {
    kind: 'edited',
    senderId: decision.texts === null ? row.member_id : viewer.id,
    recipientId: post.author_id,
    post,
  } as const;
  await publishAll(tx, [
    ...(isRejected || post.author_id === viewer.id ? [] : await notify(tx, edited)),
    ...(await notify(tx, { kind, senderId: viewer.id, recipientId: row.member_id, post })),
    { topic: 'moderation', event: { kind: 'moderation-changed' } },
  ]);
}

/** The texts that the post gets. */
function chooseTexts(
  { texts: changed }: EditDecision,
  { found, post }: { found: EditSuggestionTextsRow; post: EditablePost },
): EditedTexts {
  if (changed === null) {
    const merged = mergeEdit(baseOf(found) ?? post, found, post);
    if (merged === null) throw new ProblemError('suggestion-conflict');
    return merged;
  }
  const { summary } = found;
  if (post.post.kind === 'question') {
    const { title, content, tags } = parseFields(questionSuggestion, {
      ...changed,
      tags: changed.tags ?? [],
      summary,
    });
    return { title, content, tags };
  }
  const schema = post.post.kind === 'answer' ? answerSuggestion : replySuggestion;
  return {
    title: null,
    content: parseFields(schema, { content: changed.content, summary }).content,
    tags: null,
  };
}

/**
 * Withdraws an open suggestion of the viewer.
 * @throws ProblemError 'not-found' for others, and if it is decided
 */
export async function withdrawSuggestion(
  db: Database,
  { id, viewer }: { id: number; viewer: Viewer },
): Promise<void> {
  await transaction(db, async (tx) => {
    if (!(await withdrawOwnSuggestion(tx, { id, memberId: viewer.id }))) throw suggestionNotFound();
    await publishAll(tx, [{ topic: 'moderation', event: { kind: 'moderation-changed' } }]);
  });
}

/** Suggestions per page. Each is shown with its changes. */
const pageSize = 10;

type Reading = { viewer: Viewer; settings: AbilitySettings };

/** Lists suggestions that the viewer can decide, the oldest first, or the viewer's own, the latest first. */
export async function readSuggestions(
  db: Reader,
  wanted: Reading & { list: EditSuggestionList; cursor?: string | undefined },
): Promise<EditSuggestions> {
  const { viewer, list, settings } = wanted;
  const cursor = decodeCursor(wanted.cursor)?.id ?? null;
  const limit = pageSize + 1;
  const rows =
    list === 'own'
      ? await listOwnSuggestions(db, { memberId: viewer.id, before: cursor, limit })
      : await listSuggestionsToReview(db, {
          reviewer: await toReviewer(db, { viewer, settings }),
          after: cursor ?? 0,
          limit,
        });
  const { items, nextCursor } = paginate(rows, pageSize, ({ id }) => ({ after: 0, id }));
  return { items: items.map(toSuggestion), nextCursor };
}

/** Counts the suggestions that the viewer can decide, up to `maxEditSuggestionCount`. */
export async function countSuggestions(db: Reader, reading: Reading): Promise<number> {
  return countSuggestionsToReview(db, await toReviewer(db, reading));
}

/**
 * Returns a suggestion with its texts, for its member and for everyone who can decide it.
 * @throws ProblemError 'not-found'
 */
export async function readSuggestion(
  db: Reader,
  { id, viewer, settings }: Reading & { id: number },
): Promise<EditSuggestionTexts> {
  const row = await findEditSuggestion(db, id);
  if (row === undefined) throw suggestionNotFound();
  if (row.member_id !== viewer.id) await requireReviewer(db, { row, post: row, viewer, settings });
  const base = baseOf(row);
  const current = { title: row.current_title, content: row.current_content, tags: row.current_tags };
  const suggested = { title: row.title, content: row.content, tags: row.tags };
  return {
    ...toSuggestion(row),
    suggested,
    base,
    current,
    editedAt: row.edited_at?.toISOString() ?? null,
    merged: base === null ? null : mergeEdit(base, suggested, current),
  };
}

async function toReviewer(db: Reader, { viewer, settings }: Reading): Promise<Reviewer> {
  const { reviewEdits } = await readAbilities(db, { viewer, settings });
  return {
    memberId: viewer.id,
    isModerator: canModerate(viewer.memberStatus.role),
    isExperienced: reviewEdits,
  };
}

/** @throws ProblemError 'not-found' for members who cannot decide, 'not-allowed' for the member who suggests it */
async function requireReviewer(
  db: Reader,
  wanted: Reading & {
    row: EditSuggestionTextsRow;
    post: { author_id: number | null } | { post_author_id: number | null };
  },
): Promise<void> {
  const { row, post, viewer, settings } = wanted;
  if (row.member_id === viewer.id) throw new ProblemError('own-suggestion');
  if (canModerate(viewer.memberStatus.role)) return;
  if (row.moderators_only) throw suggestionNotFound();
  const authorId = 'author_id' in post ? post.author_id : post.post_author_id;
  if (authorId === viewer.id) return;
  if (!(await readAbilities(db, { viewer, settings })).reviewEdits) throw suggestionNotFound();
}

async function notify(
  tx: Tx,
  wanted: { kind: NotificationKind; senderId: number; recipientId: number | null; post: EditablePost },
) {
  const { kind, senderId, recipientId, post } = wanted;
  if (recipientId === null) return [];
  return notifyMember(tx, { recipientId, draft: { kind, senderId, ...post.location } });
}

const suggestionNotFound = () => new ProblemError('suggestion-not-found');

function refOf(row: EditSuggestionRow): PostRef {
  if (row.reply_id !== null) return { kind: 'reply', id: row.reply_id };
  if (row.answer_id !== null) return { kind: 'answer', id: row.answer_id };
  return { kind: 'question', id: row.question_id ?? row.thread_id };
}

function toSuggestion(row: EditSuggestionRow): EditSuggestion {
  const { kind, id: postId } = refOf(row);
  return {
    id: row.id,
    kind,
    postId,
    questionId: row.thread_id,
    title: row.thread_title,
    summary: row.summary,
    memberId: row.member_id,
    memberName: row.member_name,
    memberAvatar: row.member_avatar,
    status: row.status,
    moderatorsOnly: row.moderators_only,
    reason: row.reason,
    decidedByName: row.decided_by_name,
    createdAt: row.created_at.toISOString(),
    decidedAt: row.decided_at?.toISOString() ?? null,
  };
}

function baseOf(row: EditSuggestionTextsRow): EditedTexts | null {
  if (row.base_content === null) return null;
  return { title: row.base_title, content: row.base_content, tags: row.base_tags };
}
