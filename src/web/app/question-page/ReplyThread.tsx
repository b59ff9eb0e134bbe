import { plural, t } from '@lingui/core/macro';
import { Fragment, memo, useMemo } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { RepliesPage } from '#shared/posts/replies.ts';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import { anchorOf, isSamePost } from '#web/posts/post-ref.ts';
import type { QueuedPost } from '#web/posts/offline/queued-posts.ts';
import { QueuedPostArticle } from '#web/posts/post-forms-on-demand.tsx';
import { NewItemsPill } from '#web/ui/NewItemsPill.tsx';
import { FurtherCommentsToggle, RepliesToggle } from '#web/posts/RepliesToggle.tsx';
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

/** The comments on the question above 'Show more comments'. */
const commentsShown = 3;

/** The replies below an answer, or below the question if `answerId` is null, down to level 3. */
export const ReplyThread = memo(function Thread({
  answerId,
  replies,
}: {
  answerId: number | null;
  replies: RepliesPage;
}) {
  const { questionId, cache, queuedPosts, branches, newReplies, targetPost, deletedPosts } =
    useQuestionPage();
  const visible = useMemo(
    () =>
      filterVisibleReplies(
        replies.items,
        (reply) => newReplies.isPending(reply) && !isSamePost(targetPost, { kind: 'reply', id: reply.id }),
      ),
    [replies.items, newReplies, targetPost],
  );
  const nodes = useMemo(() => buildReplyTree(visible), [visible]);
  // Of replies deleted meanwhile only forms are shown, so a queued reply below one moves to the end of the thread.
  const queuedReplies = useMemo(() => {
    const remaining = visible.filter(({ id }) => !deletedPosts.has(anchorOf({ kind: 'reply', id })));
    return groupQueuedReplies(queuedPosts, answerId, remaining);
  }, [queuedPosts, answerId, visible, deletedPosts]);
  const hiddenNewCount = newReplies.countPending(answerId);
  if (nodes.length === 0 && queuedReplies.size === 0 && hiddenNewCount === 0) return null;
  const branch = anchorOf(
    answerId === null ? { kind: 'question', id: questionId } : { kind: 'answer', id: answerId },
  );
  const isDeleted = deletedPosts.has(branch);
  const hasMore = replies.nextCursor !== null;
  return (
    <div className={classes.thread}>
      {answerId !== null && !isDeleted && (
        <RepliesToggle branch={branch} count={hasMore ? null : countReplies(nodes)} />
      )}
      <ReplyLevel
        nodes={nodes}
        below={null}
        branch={branch}
        queued={queuedReplies}
        {...(answerId === null && { shown: commentsShown, hasMore })}
      />
      {hasMore && (!branches.isCollapsed(branch) || (answerId === null && nodes.length <= commentsShown)) && (
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
 * @param branch the anchor of the post that the replies belong to.
 * @param queued the member's own queued replies, by the id of their parent reply.
 * @param shown the replies that stay when the branch is collapsed, for the comments on the question; 0 if all are hidden.
 * @param hasMore whether further replies of this level are not loaded.
 */
function ReplyLevel({
  nodes,
  below,
  branch,
  queued,
  shown = 0,
  hasMore = false,
}: {
  nodes: readonly ReplyNode[];
  below: number | null;
  branch: string;
  queued: ReadonlyMap<number | null, QueuedPost[]>;
  shown?: number;
  hasMore?: boolean;
}) {
  const { branches, deletedPosts } = useQuestionPage();
  const isCollapsed = branches.isCollapsed(branch);
  const isPartial = shown > 0;
  return (
    <ol
      id={repliesElementId(branch)}
      data-branch={branch}
      hidden={isCollapsed && !isPartial}
      className={classes.level}
    >
      {nodes.map(({ reply, children }, index) => (
        <Fragment key={reply.id}>
          {isPartial && index === shown && (
            <li>
              <FurtherCommentsToggle count={hasMore ? null : countReplies(nodes.slice(shown))} />
            </li>
          )}
          <li
            className={classes.item}
            data-deleted={deletedPosts.has(anchorOf({ kind: 'reply', id: reply.id })) || undefined}
            data-branch={isPartial ? branch : undefined}
            hidden={isCollapsed && isPartial && index >= shown}
          >
            <ReplyArticle reply={reply} />
            {(children.length > 0 || queued.has(reply.id)) && (
              <>
                {(countReplies(children) > 0 || queued.has(reply.id)) && (
                  <RepliesToggle
                    branch={anchorOf({ kind: 'reply', id: reply.id })}
                    count={countReplies(children)}
                  />
                )}
                <ReplyLevel
                  nodes={children}
                  below={reply.id}
                  branch={anchorOf({ kind: 'reply', id: reply.id })}
                  queued={queued}
                />
              </>
            )}
          </li>
        </Fragment>
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
  ...link
}: {
  /** The address of the next or previous page, if there is one. */
  href?: string | undefined;
  rel?: 'prev';
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
      {...link}
      variant="thread"
    />
  );
}
