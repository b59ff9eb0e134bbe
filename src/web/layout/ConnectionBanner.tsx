import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { hashKey, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { notificationKeys } from '#web/notifications/notifications.ts';
import { useConnection } from '#web/platform/connection.ts';
import { keptFrom } from '#web/platform/keeping.ts';
import { changesWait } from '#web/platform/waiting.ts';
import { Time } from '#web/ui/Time.tsx';
import { NewVersion } from './NewVersion.tsx';
import { useWaitingCount } from './useWaitingCount.ts';
import { RefusedNote } from './RefusedNote.tsx';
import classes from './ConnectionBanner.module.css';

/**
 * Tells that what is on the page may be old, and what waits to be sent; goes by itself when the server answers again
 * and has all of it.
 */
export function ConnectionBanner() {
  const connection = useConnection();
  const count = useWaitingCount();
  return (
    <div className={classes.place}>
      <output className={classes.output}>
        {connection === 'offline' && (
          <span className={classes.banner}>
            {t`You are offline. What you see may be old.`}
            <KeptFrom />
            {count > 0 && ` ${changesWait(count)}`}
          </span>
        )}
        {connection === 'restarting' && (
          <span className={classes.banner}>
            {t`The server is restarting. This page carries on by itself in a moment.`}
            {count > 0 && ` ${changesWait(count)}`}
          </span>
        )}
        {connection === 'online' && count > 0 && (
          <span className={`${classes.banner} ${classes.sending}`}>{changesWait(count)}</span>
        )}
      </output>
      <RefusedNote />
      <NewVersion />
    </div>
  );
}

/** Of when it is, where the page shows what was kept; or that nothing of it is. */
function KeptFrom() {
  const client = useQueryClient();
  const shown = useSyncExternalStore(
    (listener) => client.getQueryCache().subscribe(listener),
    () => keptPage(client),
  );
  if (shown === null) return null;
  if (shown === 'missing') return ` ${t`This page comes when you are back online.`}`;
  return (
    <>
      {' '}
      <Trans>
        It was loaded <Time at={new Date(shown).toISOString()} />.
      </Trans>
    </>
  );
}

/** The time of the oldest part of the page that was kept; 'missing' where none is and the page waits for one. */
function keptPage(client: QueryClient): number | 'missing' | null {
  const parts = client
    .getQueryCache()
    .findAll({ type: 'active' })
    .filter(({ queryHash }) => queryHash !== bell);
  const times = parts.map(({ queryHash }) => keptFrom(queryHash)).filter((at) => at !== undefined);
  if (times.length > 0) return Math.min(...times);
  const isMissing = parts.some(({ state }) => state.status === 'pending' && state.fetchFailureCount > 0);
  return isMissing ? 'missing' : null;
}

/** Stands on every page. */
const bell = hashKey(notificationKeys.newest);
