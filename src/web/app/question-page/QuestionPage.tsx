import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Suspense, useCallback, useMemo, useState } from 'react';
import type { Me } from '#shared/identity/accounts.ts';
import { getSavedAnswerSort } from '#web/posts/answer-sort.ts';
import { AnswerForm } from '#web/posts/AnswerForm.tsx';
import { AnswerList } from './AnswerList.tsx';
import { hasStatus, translateServerMessage } from '#web/core/errors.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { parseQuestionId } from '#web/core/paths.ts';
import { useMember } from '#web/core/session.ts';
import { usePageTitle } from '#web/core/page-title.ts';
import {
  type QuestionPageContext,
  QuestionPageProvider,
} from '#web/posts/questions/question-page-context.ts';
import type { PostRef } from '#web/posts/post-ref.ts';
import { questionQuery, useQuestionCache } from '#web/posts/questions/question-cache.ts';
import { QueuedPostsElsewhere } from '#web/posts/offline/QueuedPost.tsx';
import { useQueuedPosts } from '#web/posts/offline/useQueuedPosts.ts';
import { QuestionReplies } from './QuestionReplies.tsx';
import { NewSinceLastVisit } from '#web/posts/questions/NewSinceLastVisit.tsx';
import { QuestionArticle } from './QuestionArticle.tsx';
import { QuestionSkeleton } from '#web/posts/questions/QuestionSkeleton.tsx';
import { RelatedQuestions } from '#web/discovery/feeds/RelatedQuestions.tsx';
import { useReplyBranches } from '#web/posts/questions/useReplyBranches.ts';
import { useLiveQuestion } from '#web/posts/questions/useLiveQuestion.ts';
import { useTargetPost } from '#web/posts/questions/useTargetPost.ts';
import { usePostShortcuts } from '#web/posts/questions/usePostShortcuts.ts';
import { useDraftToOpen, useReplyingTo } from '#web/posts/questions/useReplyingTo.ts';
import { useReveal } from '#web/posts/questions/useReveal.ts';
import { useVisit } from '#web/posts/questions/useVisit.ts';
import { MessagePage } from '#web/ui/MessagePage.tsx';

const HiddenPosts = lazyComponent(() => import('#web/moderation/HiddenPosts.tsx'));

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

  const { authorId = null, acceptedAnswerId = null, lockReason = null } = page?.question ?? {};
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
