import { t } from '@lingui/core/macro';
import { IconCheck, IconPointFilled } from '@tabler/icons-react';
import type { AskDraft } from './ask-draft.ts';
import { type ChecklistItem, checkAskDraft } from './ask-checklist.ts';
import classes from './AskChecklist.module.css';

/** Hints for a good question. Each is ticked when it is met; none is required. */
export function AskChecklist({ draft }: { draft: Pick<AskDraft, 'title' | 'content' | 'tags'> }) {
  return (
    <ul className={classes.list} aria-label={t`Tips for a good question`}>
      {checkAskDraft(draft).map(({ advice, done }) => {
        const Icon = done ? IconCheck : IconPointFilled;
        return (
          <li key={advice} className={classes.item} data-done={done || undefined}>
            <Icon size={16} aria-hidden />
            <span className={classes.state}>{done ? t`Done:` : t`Not yet:`}</span>
            <span>{checklistText(advice)}</span>
          </li>
        );
      })}
    </ul>
  );
}

function checklistText(advice: ChecklistItem): string {
  switch (advice) {
    case 'title':
      return t`Title is a clear question`;
    case 'details':
      return t`Details say what you tried`;
    case 'code':
      return t`Code is in code blocks`;
    case 'tags':
      return t`Tags are added`;
  }
}
