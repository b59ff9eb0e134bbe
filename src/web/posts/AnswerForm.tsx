import { plural, t } from '@lingui/core/macro';
import type { Answer } from '#shared/posts/answers.ts';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import type { Question } from '#shared/posts/questions.ts';
import { limits } from '#shared/core/limits.ts';
import { translateServerMessage } from '#web/core/errors.ts';
import { sendOrQueue } from '#web/core/offline-queue-sender.ts';
import { useReportTyping, useTypingCount } from '#web/core/typing-presence.ts';
import { useQuestionPage } from './questions/question-page-context.ts';
import { PostForm } from './PostForm.tsx';
import { editAnswer, postAnswer } from './post-api.ts';
import { addAnswer } from './questions/question-page-data.ts';
import { answerAction, answerFormId, highestId, queuedPostAnchor } from './offline/queued-posts.ts';
import classes from './PostForm.module.css';
import { useEffect, useState } from 'react';

const tooLongMessage = () => translateServerMessage('An answer can have up to 30,000 characters');

export function AnswerForm({ question }: { question: Pick<Question, 'authorId' | 'editedAt'> }) {
  const { questionId, member, cache, reveal, draftToOpen } = useQuestionPage();
  const typing = useReportTyping(`question:${questionId}`);
  return (
    <div id={answerFormId} className={classes.answerForm}>
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
    <div className={classes.answerForm}>
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

/** How long nobody must have been writing before it is worth saying again that somebody is, in milliseconds. */
const quietMs = 60_000;

/** '2 people are writing an answer', never counting oneself. Its line is there from the start, so that nothing jumps. */
export function TypingIndicator({ questionId }: { questionId: number }) {
  const count = useTypingCount(`question:${questionId}`);
  return (
    <p className={classes.typing} aria-live={useAnnouncedOnce(count > 0) ? 'off' : 'polite'}>
      {count > 0 &&
        plural(count, { one: '# person is writing an answer', other: '# people are writing an answer' })}
    </p>
  );
}

/** Screen readers say it when somebody begins, and not again at every coming and going. */
function useAnnouncedOnce(isTyping: boolean): boolean {
  const [announced, setAnnounced] = useState(false);
  useEffect(() => {
    if (announced === isTyping) return undefined;
    const timer = window.setTimeout(() => setAnnounced(isTyping), isTyping ? 1_000 : quietMs);
    return () => window.clearTimeout(timer);
  }, [announced, isTyping]);
  return announced;
}
