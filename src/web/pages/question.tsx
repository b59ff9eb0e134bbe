import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Suspense, useCallback, useMemo, useState } from 'react';
import type { Me } from '#shared/accounts.ts';
import { rememberedOrder } from '#web/answers/answer-order.ts';
import { AnswerForm } from '#web/answers/AnswerForm.tsx';
import { AnswerList } from '#web/answers/AnswerList.tsx';
import { isStatus } from '#web/platform/errors.ts';
import { lazyPart } from '#web/platform/lazy-part.ts';
import { questionIdOf } from '#web/platform/paths.ts';
import { said } from '#web/platform/said.ts';
import { useMember } from '#web/platform/session.ts';
import { usePageTitle } from '#web/platform/title.ts';
import { QuestionPageProvider, type QuestionPageContext } from '#web/posts/page-context.ts';
import type { PostRef } from '#web/posts/post.ts';
import { questionQuery, useQuestionCache } from '#web/posts/question-query.ts';
import { WaitingAlone } from '#web/posts/WaitingAlone.tsx';
import { useWaitingPosts } from '#web/posts/useWaitingPosts.ts';
import { Comments } from '#web/questions/Comments.tsx';
import { NewSince } from '#web/questions/NewSince.tsx';
import { QuestionArticle } from '#web/questions/QuestionArticle.tsx';
import { QuestionSkeleton } from '#web/questions/QuestionSkeleton.tsx';
import { RelatedQuestions } from '#web/questions/RelatedQuestions.tsx';
import { useBranches } from '#web/questions/useBranches.ts';
import { useLiveQuestion } from '#web/questions/useLiveQuestion.ts';
import { useMarkedPost } from '#web/questions/useMarkedPost.ts';
import { usePostKeys } from '#web/questions/usePostKeys.ts';
import { useOpening } from '#web/questions/useOpening.ts';
import { useReplyingTo } from '#web/questions/useReplyingTo.ts';
import { useReveal } from '#web/questions/useReveal.ts';
import { useVisit } from '#web/questions/useVisit.ts';
import { Message } from '#web/ui/Message.tsx';

const HiddenPosts = lazyPart(() => import('#web/care/HiddenPosts.tsx'));

const route = getRouteApi('/member/question/$id');

export function QuestionPage() {
  const id = questionIdOf(route.useParams().id);
  const current = useMember();
  // When the session ends, what is being typed stays the draft of the member who types it.
  const [member, setMember] = useState(current);
  if (current !== null && current !== member) setMember(current);

  if (id === null) return <QuestionNotFound />;
  return member === null ? null : <Question id={id} member={member} />;
}

function Question({ id, member }: { id: number; member: Me }) {
  // As it was when the question was opened, so that Back leads to what was shown.
  const [usual] = useState(rememberedOrder);
  const { sort = usual } = route.useSearch();
  const query = useQuery({
    ...questionQuery(id, sort),
    // While the answers come in another order, the page stays.
    placeholderData: (shown) => (shown?.question.id === id ? shown : undefined),
  });
  const { data: page, error, isPlaceholderData, fetchStatus, isFetchedAfterMount } = query;
  const cache = useQuestionCache(id, sort);
  const branches = useBranches();
  const reveal = useReveal(page, branches.open);
  const marked = useMarkedPost(id, page, cache, reveal);
  const opening = useOpening();
  const replying = useReplyingTo(id, member.id, { opening, openBranches: branches.open });
  const { newAnswers, newReplies } = useLiveQuestion(id, sort, member.id, { cache, reveal });
  const { isNew, returning } = useVisit(id, member.id, page, isFetchedAfterMount || fetchStatus === 'idle');
  const { setReplyingTo, rememberReplyingTo, replyingTo } = replying;
  const openReply = useCallback(
    (target: PostRef) => {
      setReplyingTo(target);
      rememberReplyingTo(target);
    },
    [setReplyingTo, rememberReplyingTo],
  );
  const waiting = useWaitingPosts({ questionId: id, memberId: member.id, page, replyingTo, openReply });
  usePostKeys();
  usePageTitle(page?.question.title ?? (error === null ? t`Question` : said('Question not found')));

  const { authorId: askerId = null, acceptedAnswerId = null, lockedFor = null } = page?.question ?? {};
  // Whoever is suspended reads; kept sessions of before know nothing of that.
  const locked = lockedFor !== null || member.suspended != null;
  const context = useMemo<QuestionPageContext>(
    () => ({
      questionId: id,
      member,
      cache,
      opening,
      marked,
      waiting,
      reveal,
      askerId,
      acceptedAnswerId,
      locked,
      isNew,
      branches,
      newReplies,
      ...replying,
    }),
    [
      id,
      member,
      cache,
      opening,
      marked,
      waiting,
      reveal,
      askerId,
      acceptedAnswerId,
      locked,
      isNew,
      branches,
      newReplies,
      replying,
    ],
  );
  // Hardly anybody has any: what shows them is fetched for those who do.
  const mayBeHidden = member.hiddenPosts > 0 || member.role === 'operator';
  if (isStatus(error, 404))
    return (
      <>
        {mayBeHidden ? (
          <Suspense>
            <HiddenPosts questionId={id} otherwise={<QuestionNotFound />} />
          </Suspense>
        ) : (
          <QuestionNotFound />
        )}
        <WaitingAlone waiting={waiting} memberId={member.id} />
      </>
    );
  if (page === undefined) {
    // The error page of the route; it comes back by itself after an outage.
    if (error !== null) throw error;
    return <QuestionSkeleton />;
  }
  return (
    <QuestionPageProvider value={context}>
      {returning && <NewSince page={page} />}
      <QuestionArticle question={page.question} />
      {mayBeHidden && (
        <Suspense>
          <HiddenPosts questionId={id} />
        </Suspense>
      )}
      <Comments comments={page.comments} />
      <WaitingAlone waiting={waiting} memberId={member.id} page={page} />
      {!locked && <AnswerForm question={page.question} />}
      <AnswerList page={page} order={{ sort, usual, pending: isPlaceholderData }} live={newAnswers} />
      <RelatedQuestions id={id} />
    </QuestionPageProvider>
  );
}

function QuestionNotFound() {
  usePageTitle(said('Question not found'));
  return (
    <Message
      heading={said('Question not found')}
      text={t`Its author may have deleted it, or the address has a mistake.`}
    >
      <Button variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
        {t`Go to Home`}
      </Button>
    </Message>
  );
}
