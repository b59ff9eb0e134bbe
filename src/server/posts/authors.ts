import type { TopicEvent } from '#server/platform/events.ts';
import type { Topic } from '#shared/events.ts';

/** The topics that tell of the names which posts are shown with. */
export function listAuthorTopics(posts: Iterable<{ authorId: number | null }>): Topic[] {
  const ids = new Set<number>();
  for (const { authorId } of posts) if (authorId !== null) ids.add(authorId);
  return [...ids].map((id): Topic => `profile:${id}`);
}

/** Whether news of an author's profile is of their name; undefined for news of something else. */
export function isAuthorRename({ topic, event }: TopicEvent): boolean | undefined {
  return topic.startsWith('profile:') ? event.kind === 'member-renamed' : undefined;
}
