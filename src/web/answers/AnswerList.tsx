import type { AnswersPage } from '#shared/answers.ts';
import { LoadMore } from '#web/posts/LoadMore.tsx';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { Thread } from '#web/replies/Thread.tsx';
import { AnswerArticle } from './AnswerArticle.tsx';
import classes from './AnswerList.module.css';

/** The answers, newest first, each with its replies. @param count of all there are, loaded or not. */
export function AnswerList({ answers, count }: { answers: AnswersPage; count: number }) {
  const { cache } = useQuestionPage();
  return (
    <section aria-labelledby="answers" className={classes.list}>
      <h2 id="answers" className={classes.heading}>
        {count} {count === 1 ? 'Answer' : 'Answers'}
      </h2>
      {answers.items.length === 0 && (
        <p className={classes.empty}>Answers will stand here, the newest first. Yours can be the first.</p>
      )}
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
