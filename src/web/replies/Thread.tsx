import { plural, t } from '@lingui/core/macro';
import { memo, useMemo } from 'react';
import type { RepliesPage } from '#shared/replies.ts';
import { LoadMorePosts } from '#web/posts/LoadMorePosts.tsx';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { anchorOf, isSamePost } from '#web/posts/post.ts';
import type { WaitingPost } from '#web/posts/waiting-posts.ts';
import { WaitingArticle } from '#web/posts/WaitingArticle.tsx';
import { NewItems } from '#web/ui/NewItems.tsx';
import { BranchToggle } from './BranchToggle.tsx';
import { ReplyArticle } from './ReplyArticle.tsx';
import { branchId, repliesIn, shownOf, threadOf, waitingBelow, type ThreadNode } from './thread.ts';
import classes from './Thread.module.css';

/** The replies below an answer, or below the question itself (`answerId` null), to level 3. */
export const Thread = memo(function Thread({
  answerId,
  replies,
}: {
  answerId: number | null;
  replies: RepliesPage;
}) {
  const { cache, waiting, branches, newReplies, marked } = useQuestionPage();
  const shown = useMemo(
    () =>
      shownOf(
        replies.items,
        (reply) => newReplies.isWaiting(reply) && !isSamePost(marked, { kind: 'reply', id: reply.id }),
      ),
    [replies.items, newReplies, marked],
  );
  const nodes = useMemo(() => threadOf(shown), [shown]);
  const mine = useMemo(() => waitingBelow(waiting, answerId, shown), [waiting, answerId, shown]);
  const left = newReplies.countIn(answerId);
  if (nodes.length === 0 && mine.size === 0 && left === 0) return null;
  const branch = answerId === null ? null : anchorOf({ kind: 'answer', id: answerId });
  const more = replies.nextCursor !== null;
  return (
    <div className={classes.thread}>
      {branch !== null && <BranchToggle branch={branch} count={more ? null : repliesIn(nodes)} />}
      <Level nodes={nodes} below={null} branch={branch} waiting={mine} />
      {more && (branch === null || !branches.isClosed(branch)) && (
        <LoadMorePosts
          name={t`Load more replies`}
          failure={t`More replies could not be loaded.`}
          load={() => cache.loadMoreReplies(answerId)}
        />
      )}
      {left > 0 && (
        <NewItems onClick={() => newReplies.show(answerId)}>
          {plural(left, { one: '# new reply', other: '# new replies' })}
        </NewItems>
      )}
    </div>
  );
});

/**
 * @param below the id of the reply that these answer. @param branch the anchor of the post they can be folded into; null
 * where they stand for themselves. @param waiting the member's own to be sent, by the id of the reply they answer.
 */
function Level({
  nodes,
  below,
  branch,
  waiting,
}: {
  nodes: readonly ThreadNode[];
  below: number | null;
  branch: string | null;
  waiting: ReadonlyMap<number | null, WaitingPost[]>;
}) {
  const { branches } = useQuestionPage();
  return (
    <ol
      id={branch === null ? undefined : branchId(branch)}
      data-branch={branch ?? undefined}
      hidden={branch !== null && branches.isClosed(branch)}
      className={classes.level}
    >
      {nodes.map(({ reply, children }) => (
        <li key={reply.id} className={classes.item}>
          {reply.deleted ? (
            <p id={`reply-${reply.id}`} className={classes.deleted}>
              {t`Reply deleted`}
            </p>
          ) : (
            <ReplyArticle reply={reply} />
          )}
          {(children.length > 0 || waiting.has(reply.id)) && (
            <>
              <BranchToggle branch={anchorOf({ kind: 'reply', id: reply.id })} count={repliesIn(children)} />
              <Level
                nodes={children}
                below={reply.id}
                branch={anchorOf({ kind: 'reply', id: reply.id })}
                waiting={waiting}
              />
            </>
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
