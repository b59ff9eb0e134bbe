import { type Database, type Reader, type Tx, transaction } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import { publish } from '#server/platform/events.ts';
import type { Viewer } from '#server/platform/http.ts';
import type { CarePost, FlagDraft, FlagState } from '#shared/care.ts';
import {
  addOpenFlag,
  closeFlags,
  deleteFlag,
  insertFlag,
  keepQuestion,
  ownFlag,
  removeFlagged,
  takeOpenFlag,
  turnFlag,
} from './flag-queries.ts';
import { postAsIs } from './put-away-queries.ts';

const missing = () => new ProblemError('not-found', 'There is no such post.');

/** The viewer's own flag on a post. @throws ProblemError 'not-found' */
export async function readFlag(
  db: Database,
  { post, viewer }: { post: CarePost; viewer: Viewer },
): Promise<FlagState> {
  if ((await postAsIs(db, post)) === undefined) throw missing();
  return stateOf(db, post, viewer);
}

/**
 * Sets the viewer's flag on a post of somebody else, once a member and post, or takes it back. A flag that was looked at
 * stays as it is. The author is never told.
 * @throws ProblemError 'not-found', 'not-allowed' for an own post
 */
export async function setFlag(
  db: Database,
  { post, viewer, draft }: { post: CarePost; viewer: Viewer; draft: FlagDraft },
): Promise<FlagState> {
  const { reason, note } = draft;
  if (reason === 'other' && note === '')
    throw new ProblemError('invalid', 'Say in a few words what is wrong.', {
      errors: [{ field: 'note', message: 'Say in a few words what is wrong.' }],
    });
  return transaction(db, async (tx) => {
    const place = await postAsIs(tx, post);
    // Kept from being deleted or put away meanwhile: its flags would never be looked at.
    if (place === undefined || !(await keepQuestion(tx, place.question_id))) throw missing();
    if ((await postAsIs(tx, post)) === undefined) throw missing();
    if (place.author_id === viewer.id)
      throw new ProblemError('not-allowed', 'You cannot flag your own posts; you can edit or delete them.');
    const before = await ownFlag(tx, { post, memberId: viewer.id });
    if (before?.closed === true) return { reason: null, closed: true };
    if (reason === null && before !== undefined) {
      await deleteFlag(tx, { post, memberId: viewer.id });
      await takeOpenFlag(tx, post);
    }
    if (reason !== null && before === undefined) {
      await insertFlag(tx, { post, memberId: viewer.id, reason, note });
      await addOpenFlag(tx, post);
    }
    if (reason !== null && before !== undefined)
      await turnFlag(tx, { post, memberId: viewer.id, reason, note });
    await publish(tx, 'care', { kind: 'care-changed' });
    return { reason, closed: false };
  });
}

/** An operator has looked at the flags of a post. Returns how many there were. */
export async function answerFlags(
  tx: Tx,
  { post, outcome }: { post: CarePost; outcome: 'dismissed' | 'acted' },
): Promise<number> {
  await removeFlagged(tx, post);
  return closeFlags(tx, { post, outcome });
}

async function stateOf(db: Reader, post: CarePost, viewer: Viewer): Promise<FlagState> {
  const flag = await ownFlag(db, { post, memberId: viewer.id });
  if (flag === undefined) return { reason: null, closed: false };
  return flag.closed ? { reason: null, closed: true } : { reason: flag.reason, closed: false };
}
