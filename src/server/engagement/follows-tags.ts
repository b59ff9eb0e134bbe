import type { Tx } from '#server/core/database.ts';
import type { TopicEvent } from '#server/core/events.ts';
import { lockTagByName } from '#server/posts/index.ts';
import { deleteTagFollow, insertTagFollow } from './follows-queries.ts';

/**
 * Makes a member follow or unfollow a tag. A followed tag that does not exist is created. Returns the events to
 * publish, none if nothing changed. Others learn nothing of a tag that is not visible.
 */
export async function setTagFollow(
  tx: Tx,
  { tag, memberId, following }: { tag: string; memberId: number; following: boolean },
): Promise<TopicEvent[]> {
  // The lock orders concurrent follows: the second counts both, and its event is published second.
  const row = await lockTagByName(tx, { tag, create: following });
  if (row === undefined) return [];
  const follow = { tagId: row.id, memberId };
  const followersCount = await (following ? insertTagFollow(tx, follow) : deleteTagFollow(tx, follow));
  if (followersCount === undefined) return [];
  const ownEvent: TopicEvent = {
    topic: `member:${memberId}`,
    event: { kind: 'follows-changed', tag: row.name, following },
  };
  if (!row.isVisible) return [ownEvent];
  return [
    { topic: 'tags', event: { kind: 'tag-followers-changed', tag: row.name, followersCount } },
    ownEvent,
  ];
}
