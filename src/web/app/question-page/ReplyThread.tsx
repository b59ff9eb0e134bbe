import { plural, t } from '@lingui/core/macro';
import { memo, useMemo } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { RepliesPage } from '#shared/posts/replies.ts';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import { anchorOf, isSamePost } from '#web/posts/post-ref.ts';
import type { QueuedPost } from '#web/posts/offline/queued-posts.ts';
import { QueuedPostArticle } from '#web/posts/offline/QueuedPost.tsx';
import { NewItemsPill } from '#web/ui/NewItemsPill.tsx';
import { RepliesToggle } from '#web/posts/RepliesToggle.tsx';
import { ReplyArticle } from './ReplyArticle.tsx';
import {
  repliesElementId,
  countReplies,
  filterVisibleReplies,
  buildReplyTree,
  groupQueuedReplies,
  type ReplyNode,
} from '#web/posts/reply-tree.ts';
import { LoadMore } from '#web/ui/LoadMore.tsx';
import classes from './ReplyThread.module.css';

/** The replies below an answer, or below the question if `answerId` is null, down to level 3. */
export const ReplyThread = memo(function Thread({
  answerId,
  replies,
}: {
  answerId: number | null;
  replies: RepliesPage;
}) {
  const { cache, queuedPosts, branches, newReplies, targetPost } = useQuestionPage();
  const visible = useMemo(
    () =>
      filterVisibleReplies(
        replies.items,
        (reply) => newReplies.isPending(reply) && !isSamePost(targetPost, { kind: 'reply', id: reply.id }),
      ),
    [replies.items, newReplies, targetPost],
  );
  const nodes = useMemo(() => buildReplyTree(visible), [visible]);
  const queuedReplies = useMemo(
    () => groupQueuedReplies(queuedPosts, answerId, visible),
    [queuedPosts, answerId, visible],
  );
  const hiddenNewCount = newReplies.countPending(answerId);
  if (nodes.length === 0 && queuedReplies.size === 0 && hiddenNewCount === 0) return null;
  const branch = answerId === null ? null : anchorOf({ kind: 'answer', id: answerId });
  const hasMore = replies.nextCursor !== null;
  return (
    <div className={classes.thread}>
      {branch !== null && <RepliesToggle branch={branch} count={hasMore ? null : countReplies(nodes)} />}
      <ReplyLevel nodes={nodes} below={null} branch={branch} queued={queuedReplies} />
      {hasMore && (branch === null || !branches.isCollapsed(branch)) && (
        <LoadMorePosts
          name={t`Load more replies`}
          failure={t`More replies could not be loaded.`}
          load={() => cache.loadMoreReplies(answerId)}
        />
      )}
      {hiddenNewCount > 0 && (
        <NewItemsPill onClick={() => newReplies.show(answerId)}>
          {plural(hiddenNewCount, { one: '# new reply', other: '# new replies' })}
        </NewItemsPill>
      )}
    </div>
  );
});

/**
 * @param below the id of the reply that these replies respond to.
 * @param branch the anchor of the post whose thread can be collapsed; null for the top level.
 * @param queued the member's own queued replies, by the id of their parent reply.
 */
function ReplyLevel({
  nodes,
  below,
  branch,
  queued,
}: {
  nodes: readonly ReplyNode[];
  below: number | null;
  branch: string | null;
  queued: ReadonlyMap<number | null, QueuedPost[]>;
}) {
  const { branches } = useQuestionPage();
  return (
    <ol
      id={branch === null ? undefined : repliesElementId(branch)}
      data-branch={branch ?? undefined}
      hidden={branch !== null && branches.isCollapsed(branch)}
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
          {(children.length > 0 || queued.has(reply.id)) && (
            <>
              <RepliesToggle
                branch={anchorOf({ kind: 'reply', id: reply.id })}
                count={countReplies(children)}
              />
              <ReplyLevel
                nodes={children}
                below={reply.id}
                branch={anchorOf({ kind: 'reply', id: reply.id })}
                queued={queued}
              />
            </>
          )}
        </li>
      ))}
      {queued.get(below)?.map((post) => (
        <li key={post.data.key} className={classes.item}>
          <QueuedPostArticle post={post} />
        </li>
      ))}
    </ol>
  );
}

/** Loads more answers or replies into the page's cache. */
export function LoadMorePosts({
  name,
  failure,
  load,
}: {
  name: string;
  failure: string;
  load: () => Promise<void>;
}) {
  const more = useMutation({ mutationFn: load });
  return (
    <LoadMore
      name={name}
      failure={more.isError ? failure : null}
      isLoading={more.isPending}
      load={more.mutate}
      variant="thread"
    />
  );
}
