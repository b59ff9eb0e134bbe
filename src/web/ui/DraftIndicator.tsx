import { t } from '@lingui/core/macro';
import type { DraftStatus } from '#web/posts/drafts/useDraft.ts';
import classes from './DraftIndicator.module.css';

/** Says that what was typed is kept. */
export function DraftIndicator({ state }: { state: DraftStatus }) {
  return (
    <output className={classes.note}>
      {state === 'saved' && t`Draft saved`}
      {state === 'device' && t`Saved on this device`}
      {state === 'unsaved' && t`Draft not saved: this browser keeps nothing`}
    </output>
  );
}
