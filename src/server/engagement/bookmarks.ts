import { createAnswerExcerpt, lockMember } from '#server/posts/index.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publish } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import type { Bookmark, BookmarkDraft, Bookmarks, BookmarkState } from '#shared/engagement/bookmarks.ts';
import { serverLimits } from '#shared/core/limits.ts';
import {
  findBookmark,
  type BookmarkRow,
  type BookmarkTarget,
  listBookmarks,
  countBookmarks,
  deleteBookmark,
  insertBookmark,
  lockBookmarkTarget,
  ownsList,
  replaceBookmarkLists,
  updateBookmarkNote,
} from './bookmarks-queries.ts';

export type { BookmarkTarget };

/** Bookmarks per page. */
const pageSize = 20;

const bookmarkNotFound = () => new ProblemError('bookmark-not-found');
const missingPost = { question: 'question-not-found', answer: 'answer-not-found' } as const;

/**
 * Adds a question or an answer to the viewer's bookmarks, or removes it. Setting the same state again changes nothing.
 * Other members see neither an event nor a count (docs/product.md 8.2).
 * @throws ProblemError 'not-found', or 'not-allowed' if the viewer has the maximum number of bookmarks.
 */
export async function setBookmark(
  db: Database,
  { target, viewer, draft }: { target: BookmarkTarget; viewer: Viewer; draft: BookmarkDraft },
): Promise<BookmarkState> {
  const { bookmarked } = draft;
  return transaction(db, async (tx) => {
    const questionId = await lockBookmarkTarget(tx, target);
    if (questionId === undefined) throw new ProblemError(missingPost[target.kind]);
    const location = target.kind === 'answer' ? { questionId, answerId: target.id } : { questionId };
    const bookmark = { target, questionId, memberId: viewer.id };
    // A concurrent request could count one below the limit, too, or set the lists of a bookmark that is removed.
    await lockMember(tx, viewer.id);
    const id = bookmarked ? await addBookmark(tx, bookmark, draft) : await deleteBookmark(tx, bookmark);
    if (id !== null)
      await publish(tx, `member:${viewer.id}`, { kind: 'bookmarked', ...location, bookmarked });
    const stored = bookmarked ? await findBookmark(tx, bookmark) : undefined;
    return {
      bookmarked,
      id: stored?.id ?? null,
      note: stored?.note ?? '',
      listIds: stored?.list_ids ?? [],
    };
  });
}

type BookmarkKey = { target: BookmarkTarget; questionId: number; memberId: number };

/** Returns the id, null if the post was already bookmarked. The caller has locked the member. */
async function addBookmark(
  tx: Tx,
  bookmark: BookmarkKey,
  { note = '', listIds = [], bookmarkedAt }: BookmarkDraft,
): Promise<number | null> {
  const { memberId } = bookmark;
  if ((await findBookmark(tx, bookmark)) !== undefined) return null;
  if ((await countBookmarks(tx, memberId)) >= serverLimits.bookmarks)
    throw new ProblemError('too-many-bookmarks', { params: { max: serverLimits.bookmarks } });
  const at = bookmarkedAt === undefined ? null : new Date(bookmarkedAt);
  const id = await insertBookmark(tx, { ...bookmark, note, at });
  await replaceBookmarkLists(tx, { id, memberId, listIds });
  return id;
}

/**
 * Returns the viewer's bookmarks, newest first: all, those in a list, or those whose note or title contains `query`.
 */
export async function readBookmarks(
  db: Reader,
  wanted: { viewer: Viewer; listId: number | null; query: string; cursor: string | undefined },
): Promise<Bookmarks> {
  const { viewer, listId } = wanted;
  if (listId !== null && !(await ownsList(db, { id: listId, memberId: viewer.id })))
    throw new ProblemError('bookmark-list-not-found');
  const rows = await listBookmarks(db, {
    memberId: viewer.id,
    listId,
    query: wanted.query.trim(),
    cursor: decodeCursor(wanted.cursor),
    limit: pageSize + 1,
  });
  const { items, nextCursor } = paginate(rows, pageSize, (row) => ({
    after: row.created_at.getTime(),
    id: row.id,
  }));
  return { items: items.map(toBookmark), nextCursor };
}

/** @throws ProblemError 'not-found' for another member's bookmark. */
export async function setBookmarkNote(
  db: Database,
  { id, viewer, note }: { id: number; viewer: Viewer; note: string },
): Promise<void> {
  await transaction(db, async (tx) => {
    if (!(await updateBookmarkNote(tx, { id, memberId: viewer.id, note }))) throw bookmarkNotFound();
    await publish(tx, `member:${viewer.id}`, { kind: 'bookmarks-changed' });
  });
}

/** Sets which of the viewer's lists contain a bookmark. */
export async function setBookmarkLists(
  db: Database,
  { id, viewer, listIds }: { id: number; viewer: Viewer; listIds: readonly number[] },
): Promise<number[]> {
  return transaction(db, async (tx) => {
    await lockMember(tx, viewer.id);
    const set = await replaceBookmarkLists(tx, { id, memberId: viewer.id, listIds });
    if (set === undefined) throw bookmarkNotFound();
    if (new Set(listIds).size !== set.length) throw invalidFieldError('listIds', 'bookmark-lists-unknown');
    await publish(tx, `member:${viewer.id}`, { kind: 'bookmarks-changed' });
    return set;
  });
}

function toBookmark(row: BookmarkRow): Bookmark {
  const start =
    row.answer_id === null
      ? { excerpt: row.excerpt, excerptCut: row.excerpt_cut }
      : createAnswerExcerpt(row.answer_start ?? '');
  return {
    id: row.id,
    questionId: row.question_id,
    answerId: row.answer_id,
    title: row.title,
    ...start,
    authorId: row.author_id,
    authorName: row.author_name,
    authorAvatar: row.author_avatar,
    authorIsBot: row.author_is_bot,
    note: row.note,
    listIds: row.list_ids,
    bookmarkedAt: row.created_at.toISOString(),
  };
}
