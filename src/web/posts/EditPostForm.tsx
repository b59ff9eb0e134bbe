import { t } from '@lingui/core/macro';
import { limits } from '#shared/core/limits.ts';
import type { Answer } from '#shared/posts/answers.ts';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import { translateError } from '#web/core/errors.ts';
import { useQuestionPage } from './questions/question-page-context.ts';
import { PostForm } from './PostForm.tsx';
import classes from './PostForm.module.css';
import { editAnswer, editReply, suggestPostEdit } from './edit-api.ts';
import { toastSuggested } from './suggested-edits.ts';

type Edit = Pick<Answer, 'content' | 'editedAt'>;

/**
 * Edits an answer or a reply in its place, or suggests an edit. Questions have a form of their own, with title and tags.
 */
export function EditPostForm({
  kind,
  post,
  isDeleted,
  suggesting = false,
  onSaved,
  onCancel,
}: {
  kind: 'answer' | 'reply';
  post: Edit & { id: number };
  /** Whether the post was deleted while the form was open. */
  isDeleted: boolean;
  /** Whether the post belongs to another member. */
  suggesting?: boolean;
  /** Without a version if the edit waits for approval, or if the page has to be read again. */
  onSaved: (saved: Edit | null) => Promise<undefined>;
  onCancel: () => void;
}) {
  const { member } = useQuestionPage();
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
        deletedPost={isDeleted ? kind : null}
        original={post.content}
        subject={{ post: { kind, id: post.id }, editedAt: post.editedAt }}
        limit={isAnswer ? limits.answer : limits.reply}
        {...(isAnswer && { counter: 'near', rows: 6 })}
        submitLabel={suggesting ? t`Suggest edit` : t`Save`}
        hasSummary={suggesting}
        onCancel={onCancel}
        submit={async (content, key, basedOn, summary) => {
          const origin = { key, memberId: member.id };
          if (suggesting) {
            toastSuggested(
              await suggestPostEdit({ kind, id: post.id }, { content, basedOn, summary }, origin),
            );
            return onSaved(null);
          }
          const save = isAnswer ? editAnswer : editReply;
          const saved = await save(post.id, { content, basedOn }, origin);
          return onSaved({ content: saved.content, editedAt: saved.editedAt });
        }}
      />
    </div>
  );
}
