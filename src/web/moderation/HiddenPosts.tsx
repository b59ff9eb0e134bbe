import { t } from '@lingui/core/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { canModerate } from '#shared/identity/roles.ts';
import type { HiddenPost } from '#shared/moderation/moderation.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { useMember } from '#web/core/session.ts';
import { Author } from '#web/posts/index.ts';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { Time } from '#web/ui/Time.tsx';
import { moderatePost, hiddenPostsQuery } from './moderation.ts';
import { ObjectionForm } from './ObjectionForm.tsx';
import { actionLabels } from './moderation-messages.ts';
import classes from './moderation.module.css';

/**
 * The hidden posts of a question, for their authors and moderators.
 * @param fallback shown if there are none and the question itself is not visible.
 */
export default function HiddenPosts({ questionId, fallback }: { questionId: number; fallback?: ReactNode }) {
  const { data, isPending } = useQuery(hiddenPostsQuery(questionId));
  const isModerator = canModerate(useMember()?.role ?? 'member');
  if (isPending) return null;
  if (data === undefined || data.items.length === 0) return fallback;
  return (
    <section aria-label={t`Hidden from others`} className={classes.apart}>
      {fallback !== undefined && (
        <PageHeading className={classes.heading}>{t`Hidden from others`}</PageHeading>
      )}
      <ul className={classes.list}>
        {data.items.map((post) => (
          <li key={post.id}>
            <HiddenPostCard post={post} canRestore={isModerator} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function HiddenPostCard({ post, canRestore }: { post: HiddenPost; canRestore: boolean }) {
  const client = useQueryClient();
  const restore = () =>
    moderatePost(client, {
      action: 'restore',
      kind: post.kind,
      id: post.postId,
      reason: '',
      duplicateOf: null,
      queueItemId: null,
    }).then(
      () => toast(t`Saved to the moderation log`),
      (error: Error) => toastError(error.message),
    );
  return (
    <article className={classes.card} aria-label={t`Hidden post by ${post.authorName}`}>
      <p className={classes.note} dir="auto">
        {post.status === 'hidden'
          ? t`Hidden from others by a moderator: ${post.reason}`
          : t`Deleted by a moderator: ${post.reason}`}
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
      <Markdown text={post.content} headingLevel={3} />
      {post.canObject && <ObjectionForm hiddenPostId={post.id} />}
      {canRestore && (
        <div className={classes.buttons}>
          <Button variant="default" onClick={() => void restore()}>
            {actionLabels.restore()}
          </Button>
        </div>
      )}
    </article>
  );
}
