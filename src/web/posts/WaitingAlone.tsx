import { t } from '@lingui/core/macro';
import type { QuestionPage } from '#shared/questions.ts';
import { QueuedPostCard } from './WaitingCard.tsx';
import type { QueuedPost } from './waiting-posts.ts';
import classes from './WaitingAlone.module.css';

/**
 * The member's waiting and refused posts that have no place on the page: replies to an answer that is deleted or not
 * loaded, and all of them where the question itself is gone (no `page`).
 */
export function QueuedPostsElsewhere({
  queuedPosts,
  memberId,
  page,
}: {
  queuedPosts: readonly QueuedPost[];
  memberId: number;
  page?: QuestionPage;
}) {
  const elsewhere = queuedPosts.filter((post) => page === undefined || !isOnPage(post, page));
  if (elsewhere.length === 0) return null;
  return (
    <section aria-label={t`What you wrote here`} className={classes.alone}>
      {elsewhere.map((post) => (
        <QueuedPostCard key={post.data.key} post={post} memberId={memberId} />
      ))}
    </section>
  );
}

function isOnPage(post: QueuedPost, page: QuestionPage): boolean {
  if (post.kind === 'answer' || post.data.answerId === null) return true;
  return page.answers.items.some(({ id }) => id === post.data.answerId);
}
