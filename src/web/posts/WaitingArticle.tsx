import { t } from '@lingui/core/macro';
import { toast } from '#web/platform/toast.ts';
import { useQuestionPage } from './page-context.ts';
import { QueuedPostCard } from './WaitingCard.tsx';
import { answerFormId, hasForm, replyTarget, type QueuedPost } from './waiting-posts.ts';
import { restoreAsDraft } from './take-back.ts';

/** A post of the member's that is still to be sent, in its place on the page. */
export function QueuedPostArticle({ post }: { post: QueuedPost }) {
  const { member, cache, setReplyingTo, saveReplyingTo } = useQuestionPage();
  const page = cache.read();

  function edit() {
    if (!restoreAsDraft(member.id, post)) {
      toast(t`The form holds another draft. Post it or clear it first.`);
      return;
    }
    if (post.kind === 'answer') {
      const form = document.getElementById(answerFormId);
      form?.querySelector('textarea')?.focus({ preventScroll: true });
      // With the reason above the field, which is about to appear.
      requestAnimationFrame(() => form?.scrollIntoView({ block: 'nearest' }));
      return;
    }
    setReplyingTo(replyTarget(post.data));
    saveReplyingTo(replyTarget(post.data));
  }

  const editable = page !== undefined && hasForm(post, page);
  return <QueuedPostCard post={post} memberId={member.id} {...(editable && { onEdit: edit })} />;
}
