import { t } from '@lingui/core/macro';
import type { QuestionPage } from '#shared/questions.ts';
import { WaitingCard } from './WaitingCard.tsx';
import type { WaitingPost } from './waiting-posts.ts';
import classes from './WaitingAlone.module.css';

/**
 * The member's waiting and refused posts that have no place on the page: replies to an answer that is deleted or not
 * loaded, and all of them where the question itself is gone (no `page`).
 */
export function WaitingAlone({
  waiting,
  memberId,
  page,
}: {
  waiting: readonly WaitingPost[];
  memberId: number;
  page?: QuestionPage;
}) {
  const alone = waiting.filter((post) => page === undefined || !hasPlace(post, page));
  if (alone.length === 0) return null;
  return (
    <section aria-label={t`What you wrote here`} className={classes.alone}>
      {alone.map((post) => (
        <WaitingCard key={post.data.key} post={post} memberId={memberId} />
      ))}
    </section>
  );
}

function hasPlace(post: WaitingPost, page: QuestionPage): boolean {
  if (post.kind === 'answer' || post.data.answerId === null) return true;
  return page.answers.items.some(({ id }) => id === post.data.answerId);
}
