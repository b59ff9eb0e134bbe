import type { AnswersPage } from '#shared/answers.ts';
import { LoadMore } from '#web/posts/LoadMore.tsx';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { WaitingArticle } from '#web/posts/WaitingArticle.tsx';
import { NewItems } from '#web/ui/NewItems.tsx';
import { Thread } from '#web/replies/Thread.tsx';
import { AnswerArticle } from './AnswerArticle.tsx';
import classes from './AnswerList.module.css';

type AnswerListProps = {
  answers: AnswersPage;
  /** Of all answers there are, loaded or not. */
  count: number;
  /** New answers that wait, so that nothing jumps, and the way to bring them. */
  live: { waiting: number; show: () => void };
};

/** The answers, newest first, each with its replies. */
export function AnswerList({ answers, count, live }: AnswerListProps) {
  const { cache, waiting } = useQuestionPage();
  const mine = waiting.filter(({ kind }) => kind === 'answer').toReversed();
  return (
    <section aria-labelledby="answers" className={classes.list}>
      <h2 id="answers" className={classes.heading}>
        {count} {count === 1 ? 'Answer' : 'Answers'}
      </h2>
      {live.waiting > 0 && (
        <NewItems onClick={live.show}>
          {live.waiting === 1 ? '1 new answer' : `${live.waiting} new answers`}
        </NewItems>
      )}
      {answers.items.length + mine.length === 0 && (
        <p className={classes.empty}>Answers will stand here, the newest first. Yours can be the first.</p>
      )}
      {mine.map((post) => (
        <div key={post.data.key} className={classes.answer}>
          <WaitingArticle post={post} />
        </div>
      ))}
      {answers.items.map((answer) => (
        <div key={answer.id} className={classes.answer}>
          <AnswerArticle answer={answer} />
          <Thread answerId={answer.id} replies={answer.replies} />
        </div>
      ))}
      {answers.nextCursor !== null && (
        <LoadMore
          name="Load more answers"
          failure="More answers could not be loaded."
          load={cache.loadMoreAnswers}
        />
      )}
    </section>
  );
}
