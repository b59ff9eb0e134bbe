import { t } from '@lingui/core/macro';
import { limits } from '#shared/core/limits.ts';
import type { Answer } from '#shared/posts/answers.ts';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import { translateError } from '#web/core/errors.ts';
import { PostForm } from './PostForm.tsx';
import classes from './PostForm.module.css';
import { editAnswer, editReply } from './post-api.ts';

type Edit = Pick<Answer, 'content' | 'editedAt'>;

/** Edits an answer or a reply in its place. Questions have a form of their own, with title and tags. */
export function EditPostForm({
  kind,
  post,
  onSaved,
  onCancel,
}: {
  kind: 'answer' | 'reply';
  post: Edit & { id: number };
  onSaved: (saved: Edit) => Promise<void>;
  onCancel: () => void;
}) {
  const isAnswer = kind === 'answer';
  const texts = isAnswer
    ? {
        label: t`Edit answer`,
        failureMessage: t`Failed to save answer`,
        tooLongMessage: translateError('answer-too-long', { max: limits.answer }),
      }
    : {
        label: t`Edit reply`,
        failureMessage: t`Failed to save reply`,
        tooLongMessage: translateError('reply-too-long', { max: limits.reply }),
      };
  return (
    <div className={isAnswer ? classes.answerForm : classes.replyForm}>
      <PostForm
        {...texts}
        hideLabel
        focused
        draftTarget={draftTargets.edit({ kind, id: post.id })}
        original={post.content}
        subject={{ post: { kind, id: post.id }, editedAt: post.editedAt }}
        limit={isAnswer ? limits.answer : limits.reply}
        {...(isAnswer && { counter: 'near', rows: 6 })}
        submitLabel={t`Save`}
        onCancel={onCancel}
        submit={async (content, key, basedOn) => {
          const save = isAnswer ? editAnswer : editReply;
          const saved = await save(post.id, { content, basedOn }, key);
          await onSaved({ content: saved.content, editedAt: saved.editedAt });
        }}
      />
    </div>
  );
}
