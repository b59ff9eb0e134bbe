import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/ui/Link.tsx';
import { type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { canModerate } from '#shared/identity/roles.ts';
import type { Me } from '#shared/identity/accounts.ts';
import { getSavedAnswerSort, parseQuestionSearch } from '#web/posts/answer-sort.ts';
import { AnswerForm, QueuedPostsElsewhere, RestoreRefusedPosts } from '#web/posts/post-forms-on-demand.tsx';
import { AnswerList } from './AnswerList.tsx';
import { hasStatus, translateError } from '#web/core/errors.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { parseQuestionId } from '#web/core/paths.ts';
import { useReader } from '#web/core/session.ts';
import { requestHeadingFocus, usePageTitle } from '#web/ui/PageHeading.tsx';
import {
  type QuestionPageContext,
  QuestionPageProvider,
  useReplyBranches,
} from '#web/posts/questions/question-page-context.ts';
import { useDeletedPosts } from '#web/posts/questions/deleted-posts.ts';
import { listLicenses } from '#web/posts/questions/question-page-data.ts';
import { questionQuery, useQuestionCache } from '#web/posts/questions/question-cache.ts';
import { useQueuedPosts } from '#web/posts/offline/useQueuedPosts.ts';
import { QuestionReplies } from './QuestionReplies.tsx';
import { NewSinceLastVisit } from '#web/posts/questions/NewSinceLastVisit.tsx';
import { QuestionArticle } from './QuestionArticle.tsx';
import { QuestionSkeleton } from '#web/posts/questions/QuestionSkeleton.tsx';
import { useCanonicalAddress } from '#web/posts/questions/useCanonicalAddress.ts';
import { useLiveQuestion } from '#web/posts/questions/useLiveQuestion.ts';
import { useTargetPost } from '#web/posts/questions/useTargetPost.ts';
import { ReplyingProvider, useDraftToOpen } from '#web/posts/questions/replying-to.tsx';
import { useReveal } from '#web/posts/questions/useReveal.ts';
import { useVisit } from '#web/posts/questions/useVisit.ts';
import { preloadDialogs } from '#web/ui/Dialog.tsx';
import { MessagePage } from '#web/ui/MessagePage.tsx';
import { useShortcuts } from '#web/core/keyboard-shortcuts.ts';
import classes from './QuestionPage.module.css';
import { useParam, usePageSearch } from '#web/core/router.ts';

const HiddenPosts = lazyComponent(() => import('#web/moderation/HiddenPosts.tsx'));
// It waits for related questions anyway.
const QuestionSidebar = lazyComponent(() => import('./QuestionSidebar.tsx'));

export function QuestionPage() {
  const id = parseQuestionId(useParam('id'));
  const current = useReader();
  // When the session ends, the text being typed stays the draft of the member who typed it.
  const [member, setMember] = useState(current);
  if (current !== null && current !== member) setMember(current);

  if (id === null) return <QuestionNotFound />;
  // The forms of a visitor who signs in elsewhere become those of the member.
  return member === null ? null : <Question key={member.id} id={id} member={member} />;
}

function Question({ id, member }: { id: number; member: Me }) {
  // Read once when the question is opened, so that Back returns to the same order.
  const [preferredSort] = useState(getSavedAnswerSort);
  const { sort = preferredSort, after = null } = usePageSearch(parseQuestionSearch);
  const query = useQuery({
    ...questionQuery(id, sort, after),
    // The page stays while the answers load in another order.
    placeholderData: (previous) => (previous?.question.id === id ? previous : undefined),
  });
  const { data: page, error, isPlaceholderData, fetchStatus, isFetchedAfterMount } = query;
  useCanonicalAddress({ id, title: page?.question.title, slug: useParam('slug') });
  const cache = useQuestionCache(id, sort, after);
  const branches = useReplyBranches();
  const reveal = useReveal(page, branches.expand);
  const targetPost = useTargetPost(id, isPlaceholderData ? undefined : page, cache, reveal);
  const draftToOpen = useDraftToOpen();
  const { newAnswers, newReplies } = useLiveQuestion({ id, sort, after }, member.id, { cache, reveal });
  const { isNew, isReturning } = useVisit(id, member.id, page, isFetchedAfterMount || fetchStatus === 'idle');
  const queuedPosts = useQueuedPosts({ questionId: id, memberId: member.id, page });
  const isDeleted = hasStatus(error, 404);
  const { page: shownPage, deletedPosts } = useDeletedPosts(page, {
    listKey: isPlaceholderData ? null : `${sort} ${after}`,
    isQuestionDeleted: isDeleted,
  });
  usePostShortcuts();
  const isRemoved = isDeleted && page !== undefined;
  useEffect(() => {
    // What had the focus may be gone. A field with text stays.
    if (isRemoved && document.activeElement === document.body) requestHeadingFocus();
  }, [isRemoved]);
  useEffect(preloadDialogs, []);
  usePageTitle(page?.question.title ?? (error === null ? t`Question` : translateError('question-not-found')));

  const { authorId = null, acceptedAnswerId = null, lockReason = null } = page?.question ?? {};
  // A suspended member cannot post. Cached sessions of older builds lack the field.
  const isLocked = lockReason !== null || member.suspended != null;
  const context = useMemo<QuestionPageContext>(
    () => ({
      questionId: id,
      member,
      cache,
      draftToOpen,
      targetPost,
      queuedPosts,
      reveal,
      questionAuthorId: authorId,
      acceptedAnswerId,
      isLocked,
      deletedPosts,
      isNew,
      branches,
      newReplies,
    }),
    [
      id,
      member,
      cache,
      draftToOpen,
      targetPost,
      queuedPosts,
      reveal,
      authorId,
      acceptedAnswerId,
      isLocked,
      deletedPosts,
      isNew,
      branches,
      newReplies,
    ],
  );
  // Few members have hidden posts, so the code that shows them is loaded only for those who do.
  const mayBeHidden = member.hiddenPosts > 0 || canModerate(member.role);
  const hiddenPosts = (fallback?: ReactNode) =>
    mayBeHidden && (
      <Suspense>
        <HiddenPosts questionId={id} fallback={fallback} />
      </Suspense>
    );
  const notFound = isDeleted && (
    <>
      {hiddenPosts(<QuestionNotFound />) || <QuestionNotFound />}
      <QueuedPostsElsewhere queuedPosts={queuedPosts} memberId={member.id} />
    </>
  );
  if (page === undefined || shownPage === undefined) {
    // Shows the route's error page, which recovers after an outage.
    if (error !== null && !isDeleted) throw error;
    return notFound || <QuestionSkeleton />;
  }
  return (
    <QuestionPageProvider value={context}>
      <ReplyingProvider
        questionId={id}
        memberId={member.id}
        opening={draftToOpen}
        openBranches={branches.expand}
      >
        <div className={classes.page}>
          {/* If the question was deleted, only forms with text remain below. */}
          {notFound || (isReturning && <NewSinceLastVisit page={page} />)}
          <QuestionArticle question={page.question} licenses={listLicenses(page)} />
          {!isDeleted && hiddenPosts()}
          <QuestionReplies comments={shownPage.replies} />
          {!isDeleted && (
            <>
              <QueuedPostsElsewhere queuedPosts={queuedPosts} memberId={member.id} page={page} />
              <RestoreRefusedPosts queued={queuedPosts} memberId={member.id} page={page} />
            </>
          )}
          <AnswerForm authorId={page.question.authorId} editedAt={page.question.editedAt} />
          <AnswerList
            page={shownPage}
            sorting={{ sort, preferredSort, pending: isPlaceholderData }}
            newAnswers={newAnswers}
          />
          {!isDeleted && (
            <Suspense>
              <QuestionSidebar page={page} />
            </Suspense>
          )}
        </div>
      </ReplyingProvider>
    </QuestionPageProvider>
  );
}

function QuestionNotFound() {
  usePageTitle(translateError('question-not-found'));
  return (
    <MessagePage
      heading={translateError('question-not-found')}
      text={t`The author may have deleted it, or the link is wrong.`}
    >
      <Button variant="default" renderRoot={(props) => <Link href="/" {...props} />}>
        {t`Go to Home`}
      </Button>
    </MessagePage>
  );
}

/**
 * The shortcuts that act on the focused post (`j` and `k` move between posts), or on the question if none is focused.
 */
function usePostShortcuts(): void {
  useShortcuts({
    upvote: () => pressPostButton('u'),
    downvote: () => pressPostButton('d'),
    reply: () => pressPostButton('r'),
    edit: () => pressPostButton('e'),
    fold: () => pressPostButton('c'),
    bookmark: () => pressPostButton('b'),
  });
}

function pressPostButton(key: 'u' | 'd' | 'r' | 'e' | 'c' | 'b'): void {
  const post = document.activeElement?.closest('[data-post]') ?? document.getElementById('question');
  if (post === null) return;
  const button =
    post.querySelector<HTMLElement>(`[data-shortcut-key="${key}"]`) ??
    document.querySelector<HTMLElement>(`[data-shortcut-key="${key}"][data-shortcut-post="${post.id}"]`);
  button?.click();
}
