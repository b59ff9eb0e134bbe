import { memo, useMemo } from 'react';
import type { RepliesPage } from '#shared/replies.ts';
import { LoadMore } from '#web/posts/LoadMore.tsx';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { ReplyArticle } from './ReplyArticle.tsx';
import { threadOf, type ThreadNode } from './thread.ts';
import classes from './Thread.module.css';

/** The replies below an answer, or below the question itself (`answerId` null), to level 3. */
export const Thread = memo(function Thread({
  answerId,
  replies,
}: {
  answerId: number | null;
  replies: RepliesPage;
}) {
  const { cache } = useQuestionPage();
  const nodes = useMemo(() => threadOf(replies.items), [replies.items]);
  if (nodes.length === 0) return null;
  return (
    <div className={classes.thread}>
      <Level nodes={nodes} />
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

function Level({ nodes }: { nodes: readonly ThreadNode[] }) {
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
          {children.length > 0 && <Level nodes={children} />}
        </li>
      ))}
    </ol>
  );
}
