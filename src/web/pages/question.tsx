import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Suspense, useCallback, useMemo, useState } from 'react';
import type { Me } from '#shared/accounts.ts';
import { getSavedAnswerSort } from '#web/answers/answer-order.ts';
import { AnswerForm } from '#web/answers/AnswerForm.tsx';
import { AnswerList } from '#web/answers/AnswerList.tsx';
import { hasStatus } from '#web/platform/errors.ts';
import { lazyComponent } from '#web/platform/lazy-part.ts';
import { parseQuestionId } from '#web/platform/paths.ts';
import { translateServerMessage } from '#web/platform/said.ts';
import { useMember } from '#web/platform/session.ts';
import { usePageTitle } from '#web/platform/title.ts';
import { QuestionPageProvider, type QuestionPageContext } from '#web/posts/page-context.ts';
import type { PostRef } from '#web/posts/post.ts';
import { questionQuery, useQuestionCache } from '#web/posts/question-query.ts';
import { QueuedPostsElsewhere } from '#web/posts/WaitingAlone.tsx';
import { useQueuedPosts } from '#web/posts/useWaitingPosts.ts';
import { QuestionReplies } from '#web/questions/Comments.tsx';
import { NewSinceLastVisit } from '#web/questions/NewSince.tsx';
import { QuestionArticle } from '#web/questions/QuestionArticle.tsx';
import { QuestionSkeleton } from '#web/questions/QuestionSkeleton.tsx';
import { RelatedQuestions } from '#web/questions/RelatedQuestions.tsx';
import { useReplyBranches } from '#web/questions/useBranches.ts';
import { useLiveQuestion } from '#web/questions/useLiveQuestion.ts';
import { useTargetPost } from '#web/questions/useMarkedPost.ts';
import { usePostShortcuts } from '#web/questions/usePostKeys.ts';
import { useDraftToOpen } from '#web/questions/useOpening.ts';
import { useReplyingTo } from '#web/questions/useReplyingTo.ts';
import { useReveal } from '#web/questions/useReveal.ts';
import { useVisit } from '#web/questions/useVisit.ts';
import { MessagePage } from '#web/ui/Message.tsx';

const HiddenPosts = lazyComponent(() => import('#web/care/HiddenPosts.tsx'));

const route = getRouteApi('/member/question/$id');

export function QuestionPage() {
  const id = parseQuestionId(route.useParams().id);
  const current = useMember();
  // When the session ends, what is being typed stays the draft of the member who types it.
  const [member, setMember] = useState(current);
  if (current !== null && current !== member) setMember(current);

  if (id === null) return <QuestionNotFound />;
  return member === null ? null : <Question id={id} member={member} />;
}

function Question({ id, member }: { id: number; member: Me }) {
  // As it was when the question was opened, so that Back leads to what was shown.
  const [preferredSort] = useState(getSavedAnswerSort);
  const { sort = preferredSort } = route.useSearch();
  const query = useQuery({
    ...questionQuery(id, sort),
    // While the answers come in another order, the page stays.
    placeholderData: (shown) => (shown?.question.id === id ? shown : undefined),
  });
  const { data: page, error, isPlaceholderData, fetchStatus, isFetchedAfterMount } = query;
  const cache = useQuestionCache(id, sort);
  const branches = useReplyBranches();
  const reveal = useReveal(page, branches.expand);
  const linkedPost = useTargetPost(id, page, cache, reveal);
  const draftToOpen = useDraftToOpen();
  const replying = useReplyingTo(id, member.id, { opening: draftToOpen, openBranches: branches.expand });
  const { newAnswers, newReplies } = useLiveQuestion(id, sort, member.id, { cache, reveal });
  const { isNew, isReturning } = useVisit(id, member.id, page, isFetchedAfterMount || fetchStatus === 'idle');
  const { setReplyingTo, saveReplyingTo, replyingTo } = replying;
  const openReply = useCallback(
    (target: PostRef) => {
      setReplyingTo(target);
      saveReplyingTo(target);
    },
    [setReplyingTo, saveReplyingTo],
  );
  const queuedPosts = useQueuedPosts({ questionId: id, memberId: member.id, page, replyingTo, openReply });
  usePostShortcuts();
  usePageTitle(
    page?.question.title ?? (error === null ? t`Question` : translateServerMessage('Question not found')),
  );

  const { authorId: authorId = null, acceptedAnswerId = null, lockReason = null } = page?.question ?? {};
  // Whoever is suspended reads; kept sessions of before know nothing of that.
  const isLocked = lockReason !== null || member.suspended != null;
  const context = useMemo<QuestionPageContext>(
    () => ({
      questionId: id,
      member,
      cache,
      draftToOpen,
      targetPost: linkedPost,
      queuedPosts,
      reveal,
      questionAuthorId: authorId,
      acceptedAnswerId,
      isLocked,
      isNew,
      branches,
      newReplies,
      ...replying,
    }),
    [
      id,
      member,
      cache,
      draftToOpen,
      linkedPost,
      queuedPosts,
      reveal,
      authorId,
      acceptedAnswerId,
      isLocked,
      isNew,
      branches,
      newReplies,
      replying,
    ],
  );
  // Hardly anybody has any: what shows them is fetched for those who do.
  const mayBeHidden = member.hiddenPosts > 0 || member.role === 'operator';
  if (hasStatus(error, 404))
    return (
      <>
        {mayBeHidden ? (
          <Suspense>
            <HiddenPosts questionId={id} fallback={<QuestionNotFound />} />
          </Suspense>
        ) : (
          <QuestionNotFound />
        )}
        <QueuedPostsElsewhere queuedPosts={queuedPosts} memberId={member.id} />
      </>
    );
  if (page === undefined) {
    // The error page of the route; it comes back by itself after an outage.
    if (error !== null) throw error;
    return <QuestionSkeleton />;
  }
  return (
    <QuestionPageProvider value={context}>
      {isReturning && <NewSinceLastVisit page={page} />}
      <QuestionArticle question={page.question} />
      {mayBeHidden && (
        <Suspense>
          <HiddenPosts questionId={id} />
        </Suspense>
      )}
      <QuestionReplies comments={page.replies} />
      <QueuedPostsElsewhere queuedPosts={queuedPosts} memberId={member.id} page={page} />
      {!isLocked && <AnswerForm question={page.question} />}
      <AnswerList
        page={page}
        sorting={{ sort, usual: preferredSort, pending: isPlaceholderData }}
        newAnswers={newAnswers}
      />
      <RelatedQuestions id={id} />
    </QuestionPageProvider>
  );
}

function QuestionNotFound() {
  usePageTitle(translateServerMessage('Question not found'));
  return (
    <MessagePage
      heading={translateServerMessage('Question not found')}
      text={t`Its author may have deleted it, or the address has a mistake.`}
    >
      <Button variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
        {t`Go to Home`}
      </Button>
    </MessagePage>
  );
}
