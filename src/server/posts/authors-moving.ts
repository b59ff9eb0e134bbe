import type { Tx } from '#server/core/database.ts';
import { publishAll } from '#server/core/events.ts';
import type { PostKind } from '#shared/core/fields.ts';
import {
  type AuthorChange,
  findThreadOf,
  lockAuthors,
  lockPostsOf,
  lockThread,
  setAuthor,
} from './authors-moving-queries.ts';
import { changeAuthorCounts } from './post-removal-queries.ts';
import { buildProfileEvents } from './posts-events.ts';
import { addToStatistics, removeFromStatistics } from './statistics-changes.ts';

/**
 * Gives all posts of a member in one thread to another member, hidden and deleted ones too, with counts, reputation and
 * statistics of both. Votes between the two earn nothing any more. The caller moves the notifications of the thread.
 * Returns the question and the number of posts, null if no thread is left.
 */
export async function moveNextThread(
  tx: Tx,
  change: AuthorChange,
): Promise<{ questionId: number; posts: number } | null> {
  const { fromId, intoId } = change;
  const questionId = await findThreadOf(tx, fromId);
  if (questionId === undefined) return null;
  await lockThread(tx, questionId);
  const visible = await lockPostsOf(tx, { questionId, authorId: fromId });
  await lockAuthors(tx, change);
  const ids = (kind: PostKind) => visible.filter((post) => post.kind === kind).map(({ id }) => id);
  const posts = { questionIds: ids('question'), answerIds: ids('answer'), replyIds: ids('reply') };
  await removeFromStatistics(tx, posts);
  await changeAuthorCounts(tx, posts, -1);
  const count = await setAuthor(tx, { ...change, questionId });
  await addToStatistics(tx, posts);
  await changeAuthorCounts(tx, posts, 1);
  await publishAll(tx, [
    { topic: `question:${questionId}`, event: { kind: 'edited', authorId: intoId } },
    // Cached lists name the former author.
    { topic: `profile:${fromId}`, event: { kind: 'member-renamed' } },
    ...buildProfileEvents([fromId, intoId]),
  ]);
  return { questionId, posts: count };
}
