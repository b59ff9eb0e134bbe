import { plural, t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import type { Question } from '#shared/posts/questions.ts';
import { limits } from '#shared/core/limits.ts';
import { translateError } from '#web/core/errors.ts';
import { useRouter } from '#web/core/router.ts';
import { sendOrQueue } from '#web/core/send-or-queue.ts';
import { useReportTyping, useTypingCount } from '#web/core/typing-presence.ts';
import { isHeld, showHeldPost } from './held-posts.ts';
import { useQuestionPage } from './questions/question-page-context.ts';
import { findPost } from './questions/question-page-data.ts';
import { PostForm } from './PostForm.tsx';
import { withListStart } from '#web/ui/list-address.ts';
import type { TypedText } from './QuietForms.tsx';
import { addAnswer, postAnswer } from './new-posts.ts';
import { anchorOf } from './post-ref.ts';
import { answerAction, answerFormId, getHighestPostId, queuedPostAnchor } from './offline/queued-posts.ts';
import classes from './PostForm.module.css';
import { useEffect, useState } from 'react';

/**
 * @param authorId the question's author
 * @param editedAt when the question was last edited
 * @param takeTyped returns once what was typed before this form was loaded
 */
export function AnswerForm({
  authorId,
  editedAt,
  takeTyped,
}: Pick<Question, 'authorId' | 'editedAt'> & {
  takeTyped: () => TypedText | null;
}) {
  const { questionId, member, cache, reveal, draftToOpen, isLocked, deletedPosts } = useQuestionPage();
  const isDeleted = deletedPosts.has(anchorOf({ kind: 'question', id: questionId }));
  const client = useQueryClient();
  const router = useRouter();
  const typing = useReportTyping(`question:${questionId}`);
  return (
    <div id={answerFormId} className={classes.answerForm}>
      {!isDeleted && !isLocked && <TypingIndicator questionId={questionId} />}
      <PostForm
        label={t`Your answer`}
        // The question's author knows of their own edit.
        {...(authorId !== member.id && {
          subject: { post: { kind: 'question', id: questionId }, editedAt },
        })}
        deletedPost={isDeleted ? 'question' : null}
        takeTyped={takeTyped}
        onTyped={typing.typed}
        draftTarget={draftTargets.answer(questionId)}
        focused={draftToOpen === draftTargets.answer(questionId)}
        limit={limits.answer}
        tooLongMessage={translateError('answer-too-long', { max: limits.answer })}
        counter="near"
        rows={4}
        quiet
        placeholder={t`Write your answer …`}
        submitLabel={t`Post Answer`}
        signIn="answer"
        failureMessage={t`Failed to post answer`}
        refusedMessage={t`Couldn't post answer`}
        submit={async (content, key) => {
          typing.over();
          const after = getHighestPostId(cache.read(), 'answer');
          const answer = await sendOrQueue(
            member.id,
            answerAction({ questionId, content, key, after }),
            (sending) => postAnswer(questionId, { content, key }, sending),
          );
          if (answer === null) return () => reveal(queuedPostAnchor(key));
          if (isHeld(answer)) {
            showHeldPost(client);
            return undefined;
          }
          await cache.update((page) => addAnswer(page, answer));
          cache.refreshLists();
          const post = { kind: 'answer', id: answer.id } as const;
          const page = cache.read();
          if (page === undefined || findPost(page, post) !== undefined) return () => reveal(post);
          // It is on a page before this one.
          const { pathname, search } = router.location;
          const address = `${pathname}${withListStart(search, null)}#${anchorOf(post)}`;
          return () => void router.navigate(address, { resetScroll: false });
        }}
      />
    </div>
  );
}

/** The announcement is repeated only after no one has been writing for this long, in milliseconds. */
const quietMs = 60_000;

/** '2 people are writing an answer', without the viewer. The line is always there, so that nothing jumps. */
export function TypingIndicator({ questionId }: { questionId: number }) {
  const count = useTypingCount(`question:${questionId}`);
  return (
    <p className={classes.typing} aria-live={useAnnouncedOnce(count > 0) ? 'off' : 'polite'}>
      {count > 0 &&
        plural(count, { one: '# person is writing an answer', other: '# people are writing an answer' })}
    </p>
  );
}

/** Screen readers announce it when someone starts writing, but not every time a writer comes or goes. */
function useAnnouncedOnce(isTyping: boolean): boolean {
  const [announced, setAnnounced] = useState(false);
  useEffect(() => {
    if (announced === isTyping) return undefined;
    const timer = window.setTimeout(() => setAnnounced(isTyping), isTyping ? 1_000 : quietMs);
    return () => window.clearTimeout(timer);
  }, [announced, isTyping]);
  return announced;
}
