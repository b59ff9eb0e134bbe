import { t } from '@lingui/core/macro';
import { IconMessage2Plus } from '@tabler/icons-react';
import type { RepliesPage } from '#shared/posts/replies.ts';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import { useReplying } from '#web/posts/questions/replying-to.tsx';
import { PostButton } from '#web/posts/PostActions.tsx';
import { anchorOf, isSamePost } from '#web/posts/post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { ReplyForm } from '#web/posts/post-forms-on-demand.tsx';
import { ReplyThread } from './ReplyThread.tsx';
import classes from './ReplyThread.module.css';

/** The comments on the question (docs/product.md 6.3). */
export function QuestionReplies({ comments }: { comments: RepliesPage }) {
  const { questionId, isLocked, deletedPosts } = useQuestionPage();
  const { replyingTo, setReplyingTo } = useReplying();
  const question: PostRef = { kind: 'question', id: questionId };
  const isDeleted = deletedPosts.has(anchorOf(question));
  const replying = isSamePost(replyingTo, question);
  return (
    <section aria-label={t`Comments`} className={classes.questionReplies}>
      <ReplyThread answerId={null} replies={comments} />
      {!isLocked && !isDeleted && (
        <div className={classes.addComment}>
          <PostButton
            label={t`Add a comment`}
            Icon={IconMessage2Plus}
            shortcut="r"
            signIn="reply"
            postAnchor={anchorOf(question)}
            active={replying}
            onPress={() => setReplyingTo(replying ? null : question)}
          />
        </div>
      )}
      {replying && <ReplyForm to={question} isDeleted={isDeleted} answerId={null} />}
    </section>
  );
}
