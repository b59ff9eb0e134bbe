import { plural } from '@lingui/core/macro';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import { useQuestionPage } from './question-page-context.ts';
import { listPostsBelowQuestion } from './question-page-data.ts';
import classes from './NewSinceLastVisit.module.css';

/** How many posts by others are new since the last visit or came since the page was opened, with a link to the first. */
export function NewSinceLastVisit({ page }: { page: QuestionPageData }) {
  const { isNew, reveal } = useQuestionPage();
  const newPosts = listPostsBelowQuestion(page).filter(({ content }) => isNew(content));
  const [first] = newPosts;
  if (first === undefined) return null;
  return (
    <div className={classes.frame}>
      <button type="button" className={classes.button} onClick={() => reveal(first.post)}>
        {plural(newPosts.length, { one: '# new post', other: '# new posts' })}
      </button>
    </div>
  );
}
