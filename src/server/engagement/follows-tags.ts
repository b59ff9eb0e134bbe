import type { Tx } from '#server/core/database.ts';
import type { TopicEvent } from '#server/core/events.ts';
import { lockTagByName } from '#server/posts/tags.ts';
import { deleteTagFollow, getFollowersCount, insertTagFollow } from './follows-queries.ts';

/** Makes a member follow a tag, which becomes one if it was none, or not. Returns what to publish if that changed it. */
export async function setTagFollow(
  tx: Tx,
  { tag, memberId, following }: { tag: string; memberId: number; following: boolean },
): Promise<TopicEvent[]> {
  // Locked, so that of two who follow at once the second counts both, and tells of it second.
  const row = await lockTagByName(tx, { tag, create: following });
  if (row === undefined) return [];
  const follow = { tagId: row.id, memberId };
  if (!(await (following ? insertTagFollow(tx, follow) : deleteTagFollow(tx, follow)))) return [];
  const followersCount = await getFollowersCount(tx, row.id);
  return [
    { topic: 'topics', event: { kind: 'topic-followed', tag: row.name, followersCount } },
    { topic: `member:${memberId}`, event: { kind: 'follows-changed', tag: row.name, following } },
  ];
}
