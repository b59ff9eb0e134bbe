import { type Database, type Reader, transaction } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publish } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { lockMember } from '#server/posts/index.ts';
import { type BookmarkLists } from '#shared/engagement/bookmarks.ts';
import { limits } from '#shared/core/limits.ts';
import {
  countBookmarks,
  countLists,
  deleteList,
  insertList,
  findListByKey,
  listBookmarkLists,
  renameList,
} from './bookmarks-queries.ts';

/** Returns the viewer's lists by name, each with its number of bookmarks. */
export async function readBookmarkLists(db: Reader, viewer: Viewer): Promise<BookmarkLists> {
  const [items, total] = await Promise.all([listBookmarkLists(db, viewer.id), countBookmarks(db, viewer.id)]);
  return { items, total };
}

/**
 * Creates a list. Returns the existing list if the viewer has one of that name (compared without case), so that a
 * repeated request creates one list.
 * @throws ProblemError 'not-allowed' if the viewer has the maximum number of lists.
 */
export async function createBookmarkList(
  db: Database,
  { viewer, name }: { viewer: Viewer; name: string },
): Promise<number> {
  return transaction(db, async (tx) => {
    await lockMember(tx, viewer.id);
    const list = { memberId: viewer.id, name, key: keyOf(name) };
    const existingId = await findListByKey(tx, list);
    if (existingId !== undefined) return existingId;
    if ((await countLists(tx, viewer.id)) >= limits.bookmarkLists)
      throw new ProblemError('too-many-bookmark-lists', { params: { max: limits.bookmarkLists } });
    const id = await insertList(tx, list);
    await publish(tx, `member:${viewer.id}`, { kind: 'bookmarks-changed' });
    return id;
  });
}

/** @throws ProblemError 'not-found' for another member's list, 'invalid' if another list of the viewer has the name. */
export async function renameBookmarkList(
  db: Database,
  { id, viewer, name }: { id: number; viewer: Viewer; name: string },
): Promise<void> {
  await transaction(db, async (tx) => {
    await lockMember(tx, viewer.id);
    const list = { memberId: viewer.id, name, key: keyOf(name) };
    const existingId = await findListByKey(tx, list);
    if (existingId !== undefined && existingId !== id)
      throw invalidFieldError('name', 'bookmark-list-name-taken');
    if (!(await renameList(tx, { ...list, id }))) throw listNotFound();
    await publish(tx, `member:${viewer.id}`, { kind: 'bookmarks-changed' });
  });
}

/** Deletes a list. Its bookmarks stay. */
export async function deleteBookmarkList(
  db: Database,
  { id, viewer }: { id: number; viewer: Viewer },
): Promise<void> {
  await transaction(db, async (tx) => {
    // A concurrent request could put a bookmark into the list.
    await lockMember(tx, viewer.id);
    if (!(await deleteList(tx, { id, memberId: viewer.id }))) throw listNotFound();
    await publish(tx, `member:${viewer.id}`, { kind: 'bookmarks-changed' });
  });
}

const listNotFound = () => new ProblemError('bookmark-list-not-found');

const keyOf = (name: string) => name.normalize('NFC').toLowerCase();
