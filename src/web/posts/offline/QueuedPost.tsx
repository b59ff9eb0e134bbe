import { t } from '@lingui/core/macro';
import { IconAlertCircle } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { useMember } from '#web/core/session.ts';
import { toast } from '#web/core/toast.ts';
import { dequeueAction } from '#web/core/offline-queue.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import facts from '#web/ui/meta-line.module.css';
import { copyText } from '#web/ui/copy-text.ts';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { QueuedMark } from '#web/ui/QueuedMark.tsx';
import { ConfirmDialog } from '#web/ui/Dialog.tsx';
import { restoreAsDraft } from './restore-posts.ts';
import { rememberLostFocus } from './useQueuedPosts.ts';
import { PostButton, PostActions } from '#web/posts/PostActions.tsx';
import {
  answerFormId,
  isFormOnPage,
  type QueuedPost,
  queuedPostAnchor,
  replyTarget,
} from './queued-posts.ts';
import postClasses from '#web/posts/PostFrame.module.css';
import metaClasses from '#web/posts/PostMeta.module.css';
import classes from './QueuedPost.module.css';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import { useReplying } from '#web/posts/questions/replying-to.tsx';
import type { QuestionPageData } from '#shared/posts/questions.ts';

/**
 * The full text of a queued or refused post.
 * @param onEdit turns it into a draft again.
 */
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
  const { displayName: name = '', avatar = null } = useMember() ?? {};
  const [deleting, setDeleting] = useState(false);
  const article = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = article.current;
    return () => {
      if (element?.contains(document.activeElement) === true) rememberLostFocus(data.key);
    };
  }, [data.key]);

  const byline = (
    <div className={`${metaClasses.meta} ${facts.line}`}>
      <span className={metaClasses.who}>
        {kind === 'answer' && <Avatar id={memberId} name={name} avatar={avatar} size={28} />}
        <span className={metaClasses.author} dir="auto">
          {name}
        </span>
      </span>
      {item.refusalReason === null && <QueuedMark showLabel />}
    </div>
  );
  const actions = (
    <div className={classes.actions}>
      <PostActions quiet={kind === 'reply'}>
        {onEdit !== undefined && <PostButton label={t`Edit`} onPress={onEdit} />}
        {onEdit === undefined && <PostButton label={t`Copy text`} onPress={() => void copy(data.content)} />}
        <PostButton label={t`Delete`} onPress={() => setDeleting(true)} />
      </PostActions>
    </div>
  );
  return (
    <article
      ref={article}
      id={queuedPostAnchor(data.key)}
      tabIndex={-1}
      className={`${postClasses.post} ${classes.card}`}
      aria-label={
        item.refusalReason === null ? queuedPostMessages[kind].queued() : queuedPostMessages[kind].refused()
      }
    >
      {kind === 'answer' && byline}
      {item.refusalReason !== null && (
        <p className={classes.refused}>
          <IconAlertCircle size={16} stroke={1.8} aria-hidden="true" />
          <span>{queuedPostMessages[kind].reason(item.refusalReason)}</span>
        </p>
      )}
      <Markdown text={data.content} className={kind === 'reply' ? classes.reply : classes.answer} />
      {kind === 'answer' ? (
        actions
      ) : (
        <div className={classes.foot}>
          {byline}
          {actions}
        </div>
      )}
      <ConfirmDialog
        opened={deleting}
        title={queuedPostMessages[kind].title()}
        text={t`It has not been posted. This cannot be undone.`}
        busy={false}
        onConfirm={() => dequeueAction(memberId, item)}
        onCancel={() => setDeleting(false)}
      />
    </article>
  );
}

const queuedPostMessages = {
  answer: {
    queued: () => t`Answer waiting to be posted`,
    refused: () => t`Couldn't post answer`,
    reason: (refused: string) => t`Couldn't post answer: ${refused}`,
    title: () => t`Delete this answer?`,
  },
  reply: {
    queued: () => t`Reply waiting to be posted`,
    refused: () => t`Couldn't post reply`,
    reason: (refused: string) => t`Couldn't post reply: ${refused}`,
    title: () => t`Delete this reply?`,
  },
} as const;

async function copy(text: string): Promise<void> {
  toast((await copyText(text)) ? t`Text copied to clipboard!` : t`Your browser does not allow copying.`);
}

/** A queued post of the member, in its place on the page. */
export function QueuedPostArticle({ post }: { post: QueuedPost }) {
  const { member, cache } = useQuestionPage();
  const { setReplyingTo, saveReplyingTo } = useReplying();
  const page = cache.read();

  function edit() {
    if (!restoreAsDraft(member.id, post)) {
      toast(t`The form contains another draft. Post or clear it first.`);
      return;
    }
    if (post.kind === 'answer') {
      const form = document.getElementById(answerFormId);
      form?.querySelector('textarea')?.focus({ preventScroll: true });
      // Scrolls to the form together with the reason that is about to appear above it.
      requestAnimationFrame(() => form?.scrollIntoView({ block: 'nearest' }));
      return;
    }
    setReplyingTo(replyTarget(post.data));
    saveReplyingTo(replyTarget(post.data));
  }

  const editable = page !== undefined && isFormOnPage(post, page);
  return <QueuedPostCard post={post} memberId={member.id} {...(editable && { onEdit: edit })} />;
}

/**
 * The member's queued and refused posts without a place on the page: replies to an answer that is deleted or not
 * loaded, or all of them if the question is gone (no `page`).
 */
export function QueuedPostsElsewhere({
  queuedPosts,
  memberId,
  page,
}: {
  queuedPosts: readonly QueuedPost[];
  memberId: number;
  page?: QuestionPageData;
}) {
  const elsewhere = queuedPosts.filter((post) => page === undefined || !isOnPage(post, page));
  if (elsewhere.length === 0) return null;
  return (
    <section aria-label={t`Posts waiting to be sent`} className={classes.elsewhere}>
      {elsewhere.map((post) => (
        <QueuedPostCard key={post.data.key} post={post} memberId={memberId} />
      ))}
    </section>
  );
}

function isOnPage(post: QueuedPost, page: QuestionPageData): boolean {
  if (post.kind === 'answer' || post.data.answerId === null) return true;
  return page.answers.items.some(({ id }) => id === post.data.answerId);
}
