import { t } from '@lingui/core/macro';
import type { Answer } from '#shared/answers.ts';
import { draftPlaces } from '#shared/draft-places.ts';
import type { Question } from '#shared/questions.ts';
import { limits } from '#shared/limits.ts';
import { said } from '#web/platform/said.ts';
import { sendOrWait } from '#web/platform/send-waiting.ts';
import { useSayWriting } from '#web/platform/writing.ts';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { PostForm } from '#web/posts/PostForm.tsx';
import { editAnswer, postAnswer } from '#web/posts/post-api.ts';
import { addAnswer } from '#web/posts/question-page.ts';
import { answerAction, answerFormId, highestId, waitingAnchor } from '#web/posts/waiting-posts.ts';
import classes from './AnswerForm.module.css';
import { Writers } from './Writers.tsx';

const tooLong = () => said('An answer can have up to 30,000 characters');

export function AnswerForm({ question }: { question: Pick<Question, 'authorId' | 'editedAt'> }) {
  const { questionId, member, cache, reveal, opening } = useQuestionPage();
  const writing = useSayWriting(`question:${questionId}`);
  return (
    <div id={answerFormId} className={classes.form}>
      <Writers questionId={questionId} />
      <PostForm
        label={t`Your answer`}
        // Who edits the question and answers it knows of the edit.
        {...(question.authorId !== member.id && {
          about: { post: { kind: 'question', id: questionId }, editedAt: question.editedAt },
        })}
        onTyped={writing.typed}
        place={draftPlaces.answer(questionId)}
        focused={opening === draftPlaces.answer(questionId)}
        limit={limits.answer}
        tooLong={tooLong()}
        counter="near"
        rows={4}
        quiet
        placeholder={t`What would you tell a friend who asks you this?`}
        submitName={t`Post Answer`}
        failure={t`Failed to post answer`}
        returned={t`Your answer was not posted`}
        submit={async (content, key) => {
          writing.over();
          const after = highestId(cache.read(), 'answer');
          const answer = await sendOrWait(
            member.id,
            answerAction({ questionId, content, key, after }),
            (sending) => postAnswer(questionId, { content, key }, sending),
          );
          if (answer === null) return reveal(waitingAnchor(key));
          await cache.change((page) => addAnswer(page, answer));
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
        place={draftPlaces.edit({ kind: 'answer', id: answer.id })}
        original={answer.content}
        about={{ post: { kind: 'answer', id: answer.id }, editedAt: answer.editedAt }}
        limit={limits.answer}
        tooLong={tooLong()}
        counter="near"
        rows={6}
        submitName={t`Save`}
        failure={t`Failed to save answer`}
        onCancel={props.onCancel}
        submit={async (content, key, basedOn) => {
          const saved = await editAnswer(answer.id, { content, basedOn }, key);
          await props.onSaved({ content: saved.content, editedAt: saved.editedAt });
        }}
      />
    </div>
  );
}
