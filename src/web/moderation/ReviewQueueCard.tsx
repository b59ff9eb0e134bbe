import { plural, t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import type { ReportedPost, PostAction } from '#shared/moderation/moderation.ts';
import { anchorOf, Author } from '#web/posts/index.ts';
import { paths } from '#web/core/paths.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { PathLink } from '#web/ui/PathLink.tsx';
import { Time } from '#web/ui/Time.tsx';
import { actionLabels, reportReasonLabel } from './moderation-messages.ts';
import classes from './moderation.module.css';

/** A reported post and the possible actions. */
export function ReviewQueueCard({
  post,
  onAct,
}: {
  post: ReportedPost;
  /** Null opens the dialog with all actions. */
  onAct: (action: PostAction | null) => void;
}) {
  const ref = { kind: post.kind, id: post.postId };
  const hash = post.kind === 'question' ? '' : `#${anchorOf(ref)}`;
  const count = plural(post.reportsCount, { one: '# report', other: '# reports' });
  return (
    <article
      className={classes.card}
      tabIndex={-1}
      data-shortcut-stop
      aria-label={t`Reported post by ${post.authorName}`}
      data-reported={post.id}
    >
      <div className={classes.head}>
        <span className={classes.strong}>{count}</span>
        <span>
          {post.reasons
            .map(({ reason, count: times }) => `${reportReasonLabel(reason)} (${times})`)
            .join(', ')}
        </span>
        <Time at={post.firstAt} />
      </div>
      {[...new Set(post.notes)].map((note) => (
        <p key={note} className={classes.note} dir="auto">
          {note}
        </p>
      ))}
      <PathLink
        href={`${questionPath(post.questionId, post.title)}${hash}`}
        className={classes.strong}
        dir="auto"
      >
        {post.title}
      </PathLink>
      <div className={classes.head}>
        <Author id={post.authorId} name={post.authorName} />
        <Time at={post.createdAt} />
        {post.authorId !== null && (
          <PathLink href={`${paths.moderation}/member/${post.authorId}`}>{t`About this member`}</PathLink>
        )}
      </div>
      <Markdown text={post.content} headingLevel={3} />
      <div className={classes.buttons}>
        <Button variant="default" onClick={() => onAct('dismiss')}>
          {actionLabels.dismiss()}
        </Button>
        <Button variant="default" onClick={() => onAct(null)}>{t`More…`}</Button>
        <Button onClick={() => onAct('hide')}>{actionLabels.hide()}</Button>
      </div>
    </article>
  );
}
