import { t } from '@lingui/core/macro';
import { IconCheck } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { useIsHydrating } from '#web/core/hydration.ts';
import { anchorOf } from '#web/posts/post-ref.ts';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import classes from './JumpToAcceptedAnswer.module.css';

/** At least this much of the answer is in view, in pixels, on a first screen that contains it. */
const minVisible = 120;

/**
 * A button that scrolls to the accepted answer if that is below the first screen. When an answer is accepted later, the
 * button appears only above the window, so that nothing moves while the member reads.
 */
export function JumpToAcceptedAnswer() {
  const { acceptedAnswerId, reveal } = useQuestionPage();
  // The server cannot measure. On phones, where the button is a line of its own, it is nearly always below.
  const [isBelow, setIsBelow] = useState(useIsHydrating() && acceptedAnswerId !== null);
  const isOpening = useRef(true);
  // Before the first paint. The answers are rendered with the question.
  useLayoutEffect(() => {
    // The line of the author follows the title.
    const line = document.querySelector('h1 + *');
    const isButtonInView = !isOpening.current && line !== null && line.getBoundingClientRect().bottom > 0;
    isOpening.current = false;
    if (acceptedAnswerId === null) return;
    const answer = document.getElementById(anchorOf({ kind: 'answer', id: acceptedAnswerId }));
    if (answer === null || isButtonInView) return;
    setIsBelow(answer.getBoundingClientRect().top + window.scrollY > window.innerHeight - minVisible);
  }, [acceptedAnswerId]);
  // An answer that is accepted later is measured again.
  if (isBelow && acceptedAnswerId === null) setIsBelow(false);
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
