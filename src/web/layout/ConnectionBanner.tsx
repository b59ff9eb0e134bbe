import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { hashKey, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { notificationKeys } from '#web/notifications/notifications.ts';
import { useConnectionStatus } from '#web/platform/connection.ts';
import { getRestoredAt } from '#web/platform/keeping.ts';
import { formatQueuedCount } from '#web/platform/waiting.ts';
import { useIsPageLoading } from '#web/ui/Pending.tsx';
import { Time } from '#web/ui/Time.tsx';
import { NewVersionBanner } from './NewVersion.tsx';
import { useQueuedCount } from './useWaitingCount.ts';
import { RefusedPostBanner } from './RefusedNote.tsx';
import classes from './ConnectionBanner.module.css';

/**
 * Tells that what is on the page may be old, and what waits to be sent; goes by itself when the server answers again
 * and has all of it.
 */
export function ConnectionBanner() {
  const connection = useConnectionStatus();
  const count = useQueuedCount();
  return (
    <div className={classes.place}>
      <output className={classes.output}>
        {connection === 'offline' && (
          <span className={classes.banner}>
            {t`You are offline. What you see may be old.`}
            <RestoredAt />
            {count > 0 && ` ${formatQueuedCount(count)}`}
          </span>
        )}
        {connection === 'restarting' && (
          <span className={classes.banner}>
            {t`The server is restarting. This page carries on by itself in a moment.`}
            {count > 0 && ` ${formatQueuedCount(count)}`}
          </span>
        )}
        {connection === 'busy' && (
          <span className={classes.banner}>
            {t`The server is very busy. This page carries on by itself in a moment.`}
            {count > 0 && ` ${formatQueuedCount(count)}`}
          </span>
        )}
        {connection === 'online' && count > 0 && (
          <span className={`${classes.banner} ${classes.sending}`}>{formatQueuedCount(count)}</span>
        )}
      </output>
      <RefusedPostBanner />
      <NewVersionBanner />
    </div>
  );
}

/** Of when it is, where the page shows what was kept; or that it has nothing to show. */
function RestoredAt() {
  const isPending = useIsPageLoading();
  const isAwaited = useQueryCache(isAnyMissing);
  const oldest = useQueryCache(getOldestRestoredAt);
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

function useQueryCache<T extends number | boolean | null>(select: (client: QueryClient) => T): T {
  const client = useQueryClient();
  return useSyncExternalStore(
    (listener) => client.getQueryCache().subscribe(listener),
    () => select(client),
  );
}

/** Whether some part of the page was asked for in vain, and is not kept either. */
function isAnyMissing(client: QueryClient): boolean {
  return listActiveQueries(client).some(
    ({ state }) => state.status === 'pending' && state.fetchFailureCount > 0,
  );
}

/** The time of the oldest part of the page that was kept. */
function getOldestRestoredAt(client: QueryClient): number | null {
  const times = listActiveQueries(client)
    .map(({ queryHash }) => getRestoredAt(queryHash))
    .filter((at) => at !== undefined);
  return times.length === 0 ? null : Math.min(...times);
}

function listActiveQueries(client: QueryClient) {
  return client
    .getQueryCache()
    .findAll({ type: 'active' })
    .filter(({ queryHash }) => queryHash !== unreadCountHash);
}

/** Stands on every page. */
const unreadCountHash = hashKey(notificationKeys.newest);
