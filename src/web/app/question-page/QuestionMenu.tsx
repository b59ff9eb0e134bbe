import type { Question } from '#shared/posts/questions.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { MoreActions } from '#web/posts/MoreActions.tsx';
import { preloadOnIntent } from '#web/ui/lazy-popover.tsx';

const load = () => import('./QuestionMenuList.tsx');
const QuestionMenuList = lazyComponent(load);
const intent = preloadOnIntent(load);

/** The less frequent actions on a question, in a menu at the end of its action row. */
export function QuestionMenu({
  question,
  own,
  onSuggest,
}: {
  question: Question;
  own: boolean;
  onSuggest: () => void;
}) {
  return (
    <MoreActions intent={intent}>
      {(menu) => <QuestionMenuList question={question} own={own} onSuggest={onSuggest} {...menu} />}
    </MoreActions>
  );
}
