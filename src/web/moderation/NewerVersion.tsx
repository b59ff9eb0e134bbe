import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { PostDiff } from '#web/posts/index.ts';
import classes from './moderation.module.css';

/** The changes of a post since the member began to decide about it. */
export function NewerVersion({
  before,
  after,
  onSeen,
}: Parameters<typeof PostDiff>[0] & { onSeen: () => void }) {
  return (
    <div>
      <p className={classes.note}>{t`The post has been edited since you started. Its changes:`}</p>
      <PostDiff before={before} after={after} />
      <div className={classes.buttons}>
        <Button variant="default" size="sm" onClick={onSeen}>{t`Got it`}</Button>
      </div>
    </div>
  );
}
