import { t } from '@lingui/core/macro';
import { IconDots } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import type { Question } from '#shared/posts/questions.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { preloadOnIntent } from '#web/ui/lazy-popover.tsx';
import classes from '#web/posts/PostActions.module.css';

const load = () => import('./QuestionMenuList.tsx');
const QuestionMenuList = lazyComponent(load);
const intent = preloadOnIntent(load);

/** The less frequent actions on a question, in a menu at the end of its action row. */
export function QuestionMenu({ question, own }: { question: Question; own: boolean }) {
  const [button, setButton] = useState<HTMLElement | null>(null);
  const [opened, setOpened] = useState(false);
  return (
    <>
      <button
        type="button"
        className={`${classes.action} ${classes.more}`}
        aria-label={t`More actions`}
        title={t`More actions`}
        aria-haspopup="menu"
        aria-expanded={opened}
        onClick={({ currentTarget }) => {
          setButton(currentTarget);
          setOpened(!opened);
        }}
        {...intent}
      >
        <IconDots size={18} stroke={1.8} aria-hidden="true" />
      </button>
      {button !== null && (
        <Suspense>
          <QuestionMenuList
            question={question}
            own={own}
            button={button}
            opened={opened}
            onClose={() => setOpened(false)}
          />
        </Suspense>
      )}
    </>
  );
}
