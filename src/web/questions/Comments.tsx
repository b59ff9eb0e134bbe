import { t } from '@lingui/core/macro';
import { IconMessage2Plus } from '@tabler/icons-react';
import type { RepliesPage } from '#shared/replies.ts';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { PostAction } from '#web/posts/PostActions.tsx';
import { anchorOf, isSamePost, type PostRef } from '#web/posts/post.ts';
import { ReplyForm } from '#web/replies/ReplyForm.tsx';
import { ReplyThread } from '#web/replies/Thread.tsx';
import classes from './Comments.module.css';

/** The replies to the question itself (docs/product.md 6.3). */
export function QuestionReplies({ comments }: { comments: RepliesPage }) {
  const { questionId, replyingTo, setReplyingTo, isLocked } = useQuestionPage();
  const question: PostRef = { kind: 'question', id: questionId };
  const replying = isSamePost(replyingTo, question);
  return (
    <section aria-label={t`Comments`} className={classes.comments}>
      <ReplyThread answerId={null} replies={comments} />
      {!isLocked && (
        <div className={classes.add}>
          <PostAction
            label={t`Add a comment`}
            Icon={IconMessage2Plus}
            shortcut="r"
            postAnchor={anchorOf(question)}
            active={replying}
            onPress={() => setReplyingTo(replying ? null : question)}
          />
        </div>
      )}
      {replying && <ReplyForm to={question} answerId={null} />}
    </section>
  );
}
