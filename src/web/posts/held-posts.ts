import { t } from '@lingui/core/macro';
import type { QueryClient } from '@tanstack/react-query';
import type { HeldPostId } from '#shared/posts/held-posts.ts';
import { sessionQuery } from '#web/core/session.ts';
import { toast } from '#web/core/toast.ts';
import { hiddenPostsKey } from './query-keys.ts';

/** Whether a new post waits for a moderator. */
export const isHeld = (posted: object): posted is HeldPostId => 'held' in posted;

/** Says that a new post waits for a moderator, and shows it to its author on the question's page. */
export function showHeldPost(client: QueryClient): void {
  toast(t`A moderator reviews your post before others see it.`);
  // The session has the number of hidden posts, without which the page asks for none.
  client.setQueryData(sessionQuery.queryKey, (session) =>
    session === undefined || session.member === null
      ? session
      : { ...session, member: { ...session.member, hiddenPosts: session.member.hiddenPosts + 1 } },
  );
  void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  void client.invalidateQueries({ queryKey: hiddenPostsKey });
}
