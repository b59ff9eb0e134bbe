import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { hashKey, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { notificationKeys } from '#web/notifications/notifications.ts';
import { useConnection } from '#web/platform/connection.ts';
import { keptFrom } from '#web/platform/keeping.ts';
import { changesWait } from '#web/platform/waiting.ts';
import { useIsPagePending } from '#web/ui/Pending.tsx';
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
        {connection === 'busy' && (
          <span className={classes.banner}>
            {t`The server is very busy. This page carries on by itself in a moment.`}
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

/** Of when it is, where the page shows what was kept; or that it has nothing to show. */
function KeptFrom() {
  const isPending = useIsPagePending();
  const isAwaited = useCached(isAnyAwaited);
  const oldest = useCached(oldestKept);
  if (isPending && isAwaited) return ` ${t`This page comes when you are back online.`}`;
  if (oldest === null) return null;
  return (
    <>
      {' '}
      <Trans>
        It was loaded <Time at={new Date(oldest).toISOString()} />.
      </Trans>
    </>
  );
}

function useCached<T extends number | boolean | null>(look: (client: QueryClient) => T): T {
  const client = useQueryClient();
  return useSyncExternalStore(
    (listener) => client.getQueryCache().subscribe(listener),
    () => look(client),
  );
}

/** Whether some part of the page was asked for in vain, and is not kept either. */
function isAnyAwaited(client: QueryClient): boolean {
  return partsOf(client).some(({ state }) => state.status === 'pending' && state.fetchFailureCount > 0);
}

/** The time of the oldest part of the page that was kept. */
function oldestKept(client: QueryClient): number | null {
  const times = partsOf(client)
    .map(({ queryHash }) => keptFrom(queryHash))
    .filter((at) => at !== undefined);
  return times.length === 0 ? null : Math.min(...times);
}

function partsOf(client: QueryClient) {
  return client
    .getQueryCache()
    .findAll({ type: 'active' })
    .filter(({ queryHash }) => queryHash !== bell);
}

/** Stands on every page. */
const bell = hashKey(notificationKeys.newest);
