import { t } from '@lingui/core/macro';
import { IconCheck } from '@tabler/icons-react';
import { useLayoutEffect, useState } from 'react';
import { useIsHydrating } from '#web/core/hydration.ts';
import { anchorOf } from '#web/posts/post-ref.ts';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import classes from './JumpToAcceptedAnswer.module.css';

/** At least this much of the answer is in view, in pixels, on a first screen that contains it. */
const minVisible = 120;

/**
 * A button that scrolls to the accepted answer, if it was below the first screen when the page was opened. It does not
 * appear later, so that nothing moves while the member reads.
 */
export function JumpToAcceptedAnswer() {
  const { acceptedAnswerId, reveal } = useQuestionPage();
  // The server cannot measure. On phones, where the button is a line of its own, it is nearly always below.
  const [isBelow, setIsBelow] = useState(useIsHydrating());
  // Before the first paint. The answers are rendered with the question.
  useLayoutEffect(() => {
    if (acceptedAnswerId === null) return;
    const answer = document.getElementById(anchorOf({ kind: 'answer', id: acceptedAnswerId }));
    if (answer === null) return;
    setIsBelow(answer.getBoundingClientRect().top + window.scrollY > window.innerHeight - minVisible);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- decided once, when the page opens
  }, []);
  if (!isBelow || acceptedAnswerId === null) return null;
  return (
    <button
      type="button"
      className={classes.jump}
      onClick={() => reveal({ kind: 'answer', id: acceptedAnswerId })}
    >
      <IconCheck size={15} stroke={2.2} aria-hidden="true" />
      {t`Jump to accepted answer`}
    </button>
  );
}
