import { t } from '@lingui/core/macro';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import type { AskDraft } from './ask.ts';
import { type Advice, followed } from './checklist.ts';
import classes from './AskChecklist.module.css';

const advices: readonly Advice[] = ['title', 'details', 'code', 'tags'];

/** What helps others to answer; each is ticked as it is done, and none is a condition. */
export function AskChecklist({ draft }: { draft: Pick<AskDraft, 'title' | 'content' | 'tags'> }) {
  const done = followed(draft);
  return (
    <ul className={classes.list} aria-label={t`What helps others to answer`}>
      {advices.map((advice) => {
        const Icon = done.has(advice) ? IconCircleCheckFilled : IconCircle;
        return (
          <li key={advice} className={classes.item} data-done={done.has(advice) || undefined}>
            <Icon size={18} aria-hidden />
            <span className={classes.state}>{done.has(advice) ? t`Done:` : t`Not yet:`}</span>
            <span>{textOf(advice)}</span>
          </li>
        );
      })}
    </ul>
  );
}

function textOf(advice: Advice): string {
  switch (advice) {
    case 'title':
      return t`The title says what is asked`;
    case 'details':
      return t`The details tell what you tried`;
    case 'code':
      return t`Code stands in code blocks`;
    case 'tags':
      return t`Tags are chosen`;
  }
}
