import { t } from '@lingui/core/macro';
import { toast } from '#web/platform/toast.ts';
import { useQuestionPage } from './page-context.ts';
import { WaitingCard } from './WaitingCard.tsx';
import { answerFormId, hasForm, targetOf, type WaitingPost } from './waiting-posts.ts';
import { takeBack } from './take-back.ts';

/** A post of the member's that is still to be sent, in its place on the page. */
export function WaitingArticle({ post }: { post: WaitingPost }) {
  const { member, cache, setReplyingTo, rememberReplyingTo } = useQuestionPage();
  const page = cache.read();

  function edit() {
    if (!takeBack(member.id, post)) {
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
    setReplyingTo(targetOf(post.data));
    rememberReplyingTo(targetOf(post.data));
  }

  const editable = page !== undefined && hasForm(post, page);
  return <WaitingCard post={post} memberId={member.id} {...(editable && { onEdit: edit })} />;
}
