import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { PostDiff } from '#web/posts/index.ts';
import classes from './moderation.module.css';

/** The changes of a text since the member began to decide about it or to edit it. */
export function NewerVersion({
  message = t`The post has been edited since you started. Its changes:`,
  before,
  after,
  onSeen,
}: Parameters<typeof PostDiff>[0] & { message?: string; onSeen: () => void }) {
  return (
    <div>
      <p className={classes.note}>{message}</p>
      <PostDiff before={before} after={after} />
      <div className={classes.buttons}>
        <Button variant="default" size="sm" onClick={onSeen}>{t`Got it`}</Button>
      </div>
    </div>
  );
}
