import { memo, useMemo } from 'react';
import type { RepliesPage } from '#shared/replies.ts';
import { LoadMore } from '#web/posts/LoadMore.tsx';
import { useQuestionPage } from '#web/posts/page-context.ts';
import type { WaitingPost } from '#web/posts/waiting-posts.ts';
import { WaitingArticle } from '#web/posts/WaitingArticle.tsx';
import { ReplyArticle } from './ReplyArticle.tsx';
import { threadOf, waitingBelow, type ThreadNode } from './thread.ts';
import classes from './Thread.module.css';

/** The replies below an answer, or below the question itself (`answerId` null), to level 3. */
export const Thread = memo(function Thread({
  answerId,
  replies,
}: {
  answerId: number | null;
  replies: RepliesPage;
}) {
  const { cache, waiting } = useQuestionPage();
  const nodes = useMemo(() => threadOf(replies.items), [replies.items]);
  const mine = useMemo(
    () => waitingBelow(waiting, answerId, replies.items),
    [waiting, answerId, replies.items],
  );
  if (nodes.length === 0 && mine.size === 0) return null;
  return (
    <div className={classes.thread}>
      <Level nodes={nodes} below={null} waiting={mine} />
      {replies.nextCursor !== null && (
        <LoadMore
          name="Load more replies"
          failure="More replies could not be loaded."
          load={() => cache.loadMoreReplies(answerId)}
        />
      )}
    </div>
  );
});

/** @param below the id of the reply that these answer. @param waiting the member's own to be sent, by the same id. */
function Level({
  nodes,
  below,
  waiting,
}: {
  nodes: readonly ThreadNode[];
  below: number | null;
  waiting: ReadonlyMap<number | null, WaitingPost[]>;
}) {
  return (
    <ol className={classes.level}>
      {nodes.map(({ reply, children }) => (
        <li key={reply.id} className={classes.item}>
          {reply.deleted ? (
            <p id={`reply-${reply.id}`} className={classes.deleted}>
              Reply deleted
            </p>
          ) : (
            <ReplyArticle reply={reply} />
          )}
          {(children.length > 0 || waiting.has(reply.id)) && (
            <Level nodes={children} below={reply.id} waiting={waiting} />
          )}
        </li>
      ))}
      {waiting.get(below)?.map((post) => (
        <li key={post.data.key} className={classes.item}>
          <WaitingArticle post={post} />
        </li>
      ))}
    </ol>
  );
}
