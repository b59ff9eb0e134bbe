import { t } from '@lingui/core/macro';
import type { Answer } from '#shared/answers.ts';
import { draftTargets } from '#shared/draft-places.ts';
import type { Question } from '#shared/questions.ts';
import { limits } from '#shared/limits.ts';
import { translateServerMessage } from '#web/platform/said.ts';
import { sendOrQueue } from '#web/platform/send-waiting.ts';
import { useReportTyping } from '#web/platform/writing.ts';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { PostForm } from '#web/posts/PostForm.tsx';
import { editAnswer, postAnswer } from '#web/posts/post-api.ts';
import { addAnswer } from '#web/posts/question-page.ts';
import { answerAction, answerFormId, highestId, queuedPostAnchor } from '#web/posts/waiting-posts.ts';
import classes from './AnswerForm.module.css';
import { TypingIndicator } from './Writers.tsx';

const tooLongMessage = () => translateServerMessage('An answer can have up to 30,000 characters');

export function AnswerForm({ question }: { question: Pick<Question, 'authorId' | 'editedAt'> }) {
  const { questionId, member, cache, reveal, draftToOpen } = useQuestionPage();
  const typing = useReportTyping(`question:${questionId}`);
  return (
    <div id={answerFormId} className={classes.form}>
      <TypingIndicator questionId={questionId} />
      <PostForm
        label={t`Your answer`}
        // Who edits the question and answers it knows of the edit.
        {...(question.authorId !== member.id && {
          subject: { post: { kind: 'question', id: questionId }, editedAt: question.editedAt },
        })}
        onTyped={typing.typed}
        draftTarget={draftTargets.answer(questionId)}
        focused={draftToOpen === draftTargets.answer(questionId)}
        limit={limits.answer}
        tooLongMessage={tooLongMessage()}
        counter="near"
        rows={4}
        quiet
        placeholder={t`What would you tell a friend who asks you this?`}
        submitLabel={t`Post Answer`}
        failureMessage={t`Failed to post answer`}
        refusedMessage={t`Your answer was not posted`}
        submit={async (content, key) => {
          typing.over();
          const after = highestId(cache.read(), 'answer');
          const answer = await sendOrQueue(
            member.id,
            answerAction({ questionId, content, key, after }),
            (sending) => postAnswer(questionId, { content, key }, sending),
          );
          if (answer === null) return reveal(queuedPostAnchor(key));
          await cache.update((page) => addAnswer(page, answer));
          cache.refreshLists();
          reveal({ kind: 'answer', id: answer.id });
        }}
      />
    </div>
  );
}

export function EditAnswerForm(props: {
  answer: Answer;
  onSaved: (answer: Pick<Answer, 'content' | 'editedAt'>) => Promise<void>;
  onCancel: () => void;
}) {
  const { answer } = props;
  return (
    <div className={classes.form}>
      <PostForm
        label={t`Edit answer`}
        hideLabel
        focused
        draftTarget={draftTargets.edit({ kind: 'answer', id: answer.id })}
        original={answer.content}
        subject={{ post: { kind: 'answer', id: answer.id }, editedAt: answer.editedAt }}
        limit={limits.answer}
        tooLongMessage={tooLongMessage()}
        counter="near"
        rows={6}
        submitLabel={t`Save`}
        failureMessage={t`Failed to save answer`}
        onCancel={props.onCancel}
        submit={async (content, key, basedOn) => {
          const saved = await editAnswer(answer.id, { content, basedOn }, key);
          await props.onSaved({ content: saved.content, editedAt: saved.editedAt });
        }}
      />
    </div>
  );
}
