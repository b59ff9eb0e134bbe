import { t } from '@lingui/core/macro';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '#web/ui/Button.tsx';
import { type ReactNode, useState } from 'react';
import { canModerate } from '#shared/identity/roles.ts';
import type { HiddenPost } from '#shared/moderation/moderation.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { useMember } from '#web/core/session.ts';
import { Author, hiddenPostAnchor } from '#web/posts/index.ts';
import { ConfirmDialog } from '#web/ui/Dialog.tsx';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { Time } from '#web/ui/Time.tsx';
import { hiddenPostsQuery, moderatePost, withdrawHeldPost } from './moderation.ts';
import { ObjectionForm } from './ObjectionForm.tsx';
import { actionLabels } from './moderation-messages.ts';
import classes from './moderation.module.css';

/**
 * The hidden posts of a question, for their authors and moderators.
 * @param fallback shown if there are none and the question itself is not visible.
 */
export default function HiddenPosts({ questionId, fallback }: { questionId: number; fallback?: ReactNode }) {
  const query = useInfiniteQuery(hiddenPostsQuery(questionId));
  const isModerator = canModerate(useMember()?.role ?? 'member');
  if (query.isPending) return null;
  if ((query.data?.pages[0]?.items ?? []).length === 0) return fallback;
  return (
    <section aria-label={t`Hidden from others`} className={fallback === undefined ? classes.apart : ''}>
      {fallback !== undefined && (
        <PageHeading className={classes.heading}>{t`Hidden from others`}</PageHeading>
      )}
      <PagedList query={query} noun="results" keyOf={keyOf} pending={null} empty={null}>
        {(posts) => (
          <ul className={classes.list}>
            {posts.map((post) => (
              <li key={keyOf(post)}>
                <HiddenPostCard post={post} canRestore={isModerator} />
              </li>
            ))}
          </ul>
        )}
      </PagedList>
    </section>
  );
}

const keyOf = ({ status, id }: HiddenPost) => `${status} ${id}`;

function describeStatus({ status, reason }: HiddenPost): string {
  switch (status) {
    case 'hidden':
      return t`Hidden from others by a moderator: ${reason}`;
    case 'deleted':
      return t`Deleted by a moderator: ${reason}`;
    case 'held':
      return t`Waiting for a moderator. Others do not see it yet.`;
    case 'rejected':
      return t`Not approved by a moderator: ${reason}`;
  }
}

function HiddenPostCard({ post, canRestore }: { post: HiddenPost; canRestore: boolean }) {
  const client = useQueryClient();
  const isWaiting = post.status === 'held' || post.status === 'rejected';
  const isOwn = useMember()?.id === post.authorId;
  const [isConfirming, setIsConfirming] = useState(false);
  const withdraw = useMutation({
    mutationFn: () => withdrawHeldPost(client, post.id),
    onError: (error) => toastError(error.message),
    onSettled: () => setIsConfirming(false),
  });
  const restore = useMutation({
    mutationFn: () =>
      moderatePost(client, {
        action: isWaiting ? 'approve' : 'restore',
        kind: post.kind,
        id: post.postId,
        reason: '',
        duplicateOf: null,
        queueItemId: null,
      }),
    onSuccess: () => toast(t`Saved to the moderation log`),
    onError: (error) => toastError(error.message),
  });
  // The list is read again.
  if (withdraw.isSuccess || restore.isSuccess) return null;
  return (
    <article
      id={hiddenPostAnchor(post)}
      tabIndex={-1}
      className={classes.card}
      aria-label={t`Hidden post by ${post.authorName}`}
    >
      <p className={classes.note} dir="auto">
        {describeStatus(post)}
      </p>
      <div className={classes.head}>
        <Author id={post.authorId} name={post.authorName} />
        <Time at={post.hiddenAt} />
      </div>
      {post.kind === 'question' && (
        <p className={classes.strong} dir="auto">
          {post.title}
        </p>
      )}
      <Markdown text={post.content} headingLevel={2} />
      {post.canObject && <ObjectionForm hiddenPostId={post.id} />}
      {canRestore && (
        <div className={classes.buttons}>
          <Button variant="default" loading={restore.isPending} onClick={() => restore.mutate()}>
            {isWaiting ? actionLabels.approve() : actionLabels.restore()}
          </Button>
        </div>
      )}
      {isWaiting && isOwn && (
        <div className={classes.buttons}>
          <Button variant="default" onClick={() => setIsConfirming(true)}>
            {t`Delete`}
          </Button>
        </div>
      )}
      <ConfirmDialog
        opened={isConfirming}
        title={t`Delete this post?`}
        text={t`This cannot be undone.`}
        busy={withdraw.isPending}
        onConfirm={() => withdraw.mutate()}
        onCancel={() => setIsConfirming(false)}
      />
    </article>
  );
}
