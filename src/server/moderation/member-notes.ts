import { pageById } from '#server/core/cursor.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publish } from '#server/core/events.ts';
import type { MemberNotes } from '#shared/moderation/member-page.ts';
import { insertNote, listNotes, lockNote, setNoteDeleted, updateNote } from './member-notes-queries.ts';
import type { Moderator } from './moderator.ts';

/** Notes per page. */
const pageSize = 20;

/**
 * Returns the notes of moderators on a member, the latest first.
 * @throws ProblemError 'not-allowed' for notes on the moderator who asks: they may be from before the role
 */
export async function readNotes(
  db: Reader,
  { memberId, moderator, cursor }: { memberId: number; moderator: Moderator; cursor: string | undefined },
): Promise<MemberNotes> {
  refuseOwnNotes(memberId, moderator);
  return pageById(cursor, pageSize, (before, limit) => listNotes(db, { memberId, before, limit }));
}

/**
 * Adds a note on a member, whom nothing informs of it. It is not in the moderation log, which all members read.
 * @throws ProblemError 'not-found', 'not-allowed' for a note on oneself
 */
export async function addNote(
  db: Database,
  { memberId, moderator, text }: { memberId: number; moderator: Moderator; text: string },
): Promise<{ id: number }> {
  refuseOwnNotes(memberId, moderator);
  return transaction(db, async (tx) => {
    const id = await insertNote(tx, { memberId, authorId: moderator.id, text });
    if (id === undefined) throw new ProblemError('user-not-found');
    await publish(tx, 'moderation', { kind: 'moderation-changed' });
    return { id };
  });
}

/**
 * Changes the text of the moderator's own note.
 * @throws ProblemError 'not-found', 'not-allowed' for the note of another moderator
 */
export async function editNote(
  db: Database,
  { id, moderator, text }: { id: number; moderator: Moderator; text: string },
): Promise<void> {
  await transaction(db, async (tx) => {
    const { deleted } = await requireOwnNote(tx, { id, moderator });
    if (deleted) throw new ProblemError('note-not-found');
    await updateNote(tx, { id, text });
    await publish(tx, 'moderation', { kind: 'moderation-changed' });
  });
}

/**
 * Deletes the moderator's own note, or restores it within a day.
 * @throws ProblemError 'not-found', 'not-allowed' for the note of another moderator
 */
export async function setDeletedNote(
  db: Database,
  { id, moderator, deleted }: { id: number; moderator: Moderator; deleted: boolean },
): Promise<void> {
  await transaction(db, async (tx) => {
    await requireOwnNote(tx, { id, moderator });
    await setNoteDeleted(tx, { id, deleted });
    await publish(tx, 'moderation', { kind: 'moderation-changed' });
  });
}

async function requireOwnNote(tx: Tx, { id, moderator }: { id: number; moderator: Moderator }) {
  const note = await lockNote(tx, id);
  if (note === undefined) throw new ProblemError('note-not-found');
  if (note.authorId !== moderator.id) throw new ProblemError('note-of-another');
  return note;
}

function refuseOwnNotes(memberId: number, moderator: Moderator): void {
  if (memberId === moderator.id) throw new ProblemError('note-on-yourself');
}
