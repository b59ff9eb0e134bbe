import { plural } from '@lingui/core/macro';
import type { QuestionPage } from '#shared/questions.ts';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { listPostsBelowQuestion } from '#web/posts/question-page.ts';
import classes from './NewSince.module.css';

/** How much others wrote since the last visit; leads to the first of it. */
export function NewSinceLastVisit({ page }: { page: QuestionPage }) {
  const { isNew, reveal } = useQuestionPage();
  const newPosts = listPostsBelowQuestion(page).filter(({ content }) => isNew(content));
  const [first] = newPosts;
  if (first === undefined) return null;
  return (
    <div className={classes.place}>
      <button type="button" className={classes.line} onClick={() => reveal(first.post)}>
        {plural(newPosts.length, {
          one: '# new since your last visit',
          other: '# new since your last visit',
        })}
      </button>
    </div>
  );
}
