import { t } from '@lingui/core/macro';
import { IconAlertCircle } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { useMember } from '#web/platform/session.ts';
import { toast } from '#web/platform/toast.ts';
import { dequeueAction } from '#web/platform/waiting.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import facts from '#web/ui/facts.module.css';
import { copyText } from '#web/ui/markdown/copy.ts';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { QueuedMark } from '#web/ui/WaitingMark.tsx';
import { DeleteDialog } from './DeleteDialog.tsx';
import { rememberLostFocus } from './lost-focus.ts';
import { PostAction, PostActions } from './PostActions.tsx';
import { queuedPostAnchor, type QueuedPost } from './waiting-posts.ts';
import postClasses from './PostFrame.module.css';
import metaClasses from './PostMeta.module.css';
import classes from './WaitingCard.module.css';

/** The whole text of a post that is still to be sent or was refused. @param onEdit makes it a draft again. */
export function QueuedPostCard({
  post,
  memberId,
  onEdit,
}: {
  post: QueuedPost;
  memberId: number;
  onEdit?: () => void;
}) {
  const { kind, data, item } = post;
  const name = useMember()?.displayName ?? '';
  const [deleting, setDeleting] = useState(false);
  const article = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = article.current;
    return () => {
      if (element?.contains(document.activeElement) === true) rememberLostFocus(data.key);
    };
  }, [data.key]);

  return (
    <article
      ref={article}
      id={queuedPostAnchor(data.key)}
      tabIndex={-1}
      className={postClasses.post}
      aria-label={
        item.refusalReason === null ? queuedPostMessages[kind].waiting() : queuedPostMessages[kind].refused()
      }
    >
      <div className={`${metaClasses.meta} ${facts.facts}`}>
        <span className={metaClasses.who}>
          <Avatar id={memberId} name={name} size={kind === 'reply' ? 22 : 28} />
          <span className={metaClasses.author} dir="auto">
            {name}
          </span>
        </span>
        {item.refusalReason === null && <QueuedMark showLabel />}
      </div>
      {item.refusalReason !== null && (
        <p className={classes.refused}>
          <IconAlertCircle size={16} stroke={1.8} aria-hidden="true" />
          <span>{queuedPostMessages[kind].reason(item.refusalReason)}</span>
        </p>
      )}
      <Markdown text={data.content} breaks className={kind === 'reply' ? classes.reply : classes.answer} />
      <div className={classes.actions}>
        <PostActions>
          {onEdit !== undefined && <PostAction label={t`Edit`} onPress={onEdit} />}
          {onEdit === undefined && (
            <PostAction label={t`Copy text`} onPress={() => void copy(data.content)} />
          )}
          <PostAction label={t`Delete`} onPress={() => setDeleting(true)} />
        </PostActions>
      </div>
      <DeleteDialog
        opened={deleting}
        title={queuedPostMessages[kind].title()}
        text={t`It has not been posted and cannot be brought back.`}
        deleting={false}
        onDelete={() => dequeueAction(memberId, item)}
        onCancel={() => setDeleting(false)}
      />
    </article>
  );
}

const queuedPostMessages = {
  answer: {
    waiting: () => t`Waiting answer`,
    refused: () => t`Answer that was not posted`,
    reason: (refused: string) => t`Your answer was not posted: ${refused}`,
    title: () => t`Delete this answer?`,
  },
  reply: {
    waiting: () => t`Waiting reply`,
    refused: () => t`Reply that was not posted`,
    reason: (refused: string) => t`Your reply was not posted: ${refused}`,
    title: () => t`Delete this reply?`,
  },
} as const;

async function copy(text: string): Promise<void> {
  toast((await copyText(text)) ? t`Text copied to clipboard` : t`This browser does not let Parley copy.`);
}
