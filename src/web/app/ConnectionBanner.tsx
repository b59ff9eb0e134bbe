import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { hashKey, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { notificationKeys } from '#web/notifications/notifications.ts';
import { useConnectionStatus } from '#web/core/connection.ts';
import { getRestoredAt } from '#web/core/offline-cache.ts';
import { formatQueuedCount, useOfflineQueue } from '#web/core/offline-queue.ts';
import { useIsPageLoading } from '#web/ui/LoadingRegion.tsx';
import { Time } from '#web/ui/Time.tsx';
import { NewVersionBanner } from './NewVersionBanner.tsx';
import { offlineActionKinds, useQueuedCount } from './offline-actions.ts';
import classes from './ConnectionBanner.module.css';
import { Link, useLocation } from '@tanstack/react-router';
import { useCachedSession } from '#web/core/session.ts';

/**
 * Tells that what is on the page may be old, and what waits to be sent; goes by itself when the server answers again
 * and has all of it.
 */
export function ConnectionBanner() {
  const connection = useConnectionStatus();
  const count = useQueuedCount();
  return (
    <div className={classes.container}>
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

/** Tells of a post that was sent while the member looked elsewhere, and was refused; its page says why. */
export function RefusedPostBanner() {
  const member = useCachedSession()?.member ?? null;
  const { pathname } = useLocation();
  const refused = useOfflineQueue(member?.id ?? null)
    .filter((item) => item.refusalReason !== null)
    .map((item) => {
      const kind = offlineActionKinds.find(({ name }) => name === item.kind);
      return { item, path: kind?.accepts(item.data) === true ? kind.path(item.data) : null };
    })
    .find(({ path }) => path !== null && path !== pathname);
  if (refused === undefined || refused.path === null) return null;
  return (
    <p role="alert" className={classes.refused}>
      {refused.item.kind === 'answer' ? t`Your answer was not posted.` : t`Your reply was not posted.`}{' '}
      <Link to={refused.path}>{t`Show it`}</Link>
    </p>
  );
}
