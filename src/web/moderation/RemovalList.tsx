import { plural, t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Removal } from '#shared/moderation/removals.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { Time } from '#web/ui/Time.tsx';
import { ReasonForm } from './ReasonForm.tsx';
import { removalsQuery, removalStatusText, restoreRemoval } from './removals.ts';
import classes from './moderation.module.css';

/** The latest removals of all activity with their progress. Each can be restored. */
export function RemovalList() {
  const client = useQueryClient();
  const { data } = useQuery(removalsQuery);
  const [restoring, setRestoring] = useState<Removal | null>(null);
  if (data === undefined || data.items.length === 0) return null;
  return (
    <section aria-labelledby="removals">
      <h2 id="removals" className={classes.section}>{t`Removed activity`}</h2>
      <ul className={classes.list}>
        {data.items.map((removal) => (
          <li key={removal.id} className={classes.card}>
            <RemovalCard removal={removal} onRestore={() => setRestoring(removal)} />
          </li>
        ))}
      </ul>
      {restoring !== null && (
        <Dialog title={t`Restore`} opened onClose={() => setRestoring(null)}>
          <div className={classes.form}>
            <p className={classes.quiet}>{t`All removed posts and votes are restored.`}</p>
            <ReasonForm
              submit={t`Restore`}
              act={async (reason) => {
                await restoreRemoval(client, restoring.id, reason);
                setRestoring(null);
              }}
              onCancel={() => setRestoring(null)}
            />
          </div>
        </Dialog>
      )}
    </section>
  );
}

function RemovalCard({ removal, onRestore }: { removal: Removal; onRestore: () => void }) {
  const { state, accounts, moderatorName, createdAt, reason } = removal;
  const done = removal.postsDone + removal.votesDone;
  const all = removal.posts + removal.votes;
  const isRunning = state === 'removing' || state === 'restoring';
  return (
    <>
      <div className={classes.head}>
        <span className={classes.strong}>{plural(accounts, { one: '# account', other: '# accounts' })}</span>
        <Time at={createdAt} />
        {moderatorName !== null && <span dir="auto">{t`by ${moderatorName}`}</span>}
      </div>
      <p dir="auto">{reason}</p>
      <output>
        {removalStatusText(removal)}
        {isRunning && (
          <progress className={classes.progress} value={done} max={Math.max(all, 1)} aria-hidden />
        )}
      </output>
      {state === 'removed' && (
        <div className={classes.buttons}>
          <Button variant="default" onClick={onRestore}>{t`Restore`}</Button>
        </div>
      )}
    </>
  );
}
