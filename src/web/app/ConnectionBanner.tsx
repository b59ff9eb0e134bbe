import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { hashKey, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { notificationKeys } from '#web/notifications/notifications.ts';
import { useConnectionStatus } from '#web/core/connection.ts';
import { useRootAttribute } from '#web/core/root-attribute.ts';
import { getRestoredAt } from '#web/core/offline-cache.ts';
import { useOfflineQueueSender } from '#web/core/offline-queue-sender.ts';
import { formatQueuedCount, type OfflineAction, useOfflineQueue } from '#web/core/offline-queue.ts';
import { useIsPageLoading } from '#web/ui/LoadingRegion.tsx';
import { Time } from '#web/ui/Time.tsx';
import { connectionMessages } from './EarlyConnectionBanner.tsx';
import { NewVersionBanner } from './NewVersionBanner.tsx';
import { offlineActionKinds } from './offline-action-kinds.ts';
import { useQueuedActions } from './useQueuedActions.ts';
import classes from './ConnectionBanner.module.css';
import { useLocation } from '#web/core/router.ts';
import { Link } from '#web/ui/Link.tsx';
import { getPageKey } from '#web/core/paths.ts';
import { useCachedSession } from '#web/core/session.ts';

/**
 * Says that the page may be out of date and how many changes wait to be sent. Disappears when the server responds again
 * and has received them all. Loaded after the page handles input, with what sends the changes.
 */
export default function ConnectionBanner() {
  const memberId = useCachedSession()?.member?.id;
  const connection = useConnectionStatus();
  const count = useQueuedActions().filter(canBeSent).length;
  useRootAttribute('data-banner', connection !== 'online' || count > 0);
  return (
    <div className={classes.container}>
      <output className={classes.output}>
        {connection !== 'online' && (
          <span className={classes.banner}>
            {connectionMessages[connection]()}
            {connection === 'offline' && <RestoredAt />}
            {count > 0 && ` ${formatQueuedCount(count)}`}
          </span>
        )}
        {connection === 'online' && count > 0 && (
          <span className={`${classes.banner} ${classes.sending}`}>{formatQueuedCount(count)}</span>
        )}
      </output>
      <RefusedPostBanner />
      <NewVersionBanner />
      {memberId !== undefined && <OfflineQueueSender memberId={memberId} />}
    </div>
  );
}

/** Whether this build sends such actions. Those of another build wait for that build. */
const canBeSent = ({ kind, data }: OfflineAction) =>
  offlineActionKinds.some(({ name, accepts }) => name === kind && accepts(data));

/** Renders nothing. Sends the member's queued offline actions, on every page. */
function OfflineQueueSender({ memberId }: { memberId: number }): null {
  useOfflineQueueSender(memberId, offlineActionKinds);
  return null;
}

/** Says when the data on the page was loaded if it comes from the offline cache, or that the page has no data yet. */
function RestoredAt() {
  const isPending = useIsPageLoading();
  const isAwaited = useQueryCache(isAnyMissing);
  const oldest = useQueryCache(getOldestRestoredAt);
  if (isPending && isAwaited) return ` ${t`This page will load when you are back online.`}`;
  if (oldest === null) return null;
  return (
    <>
      {' '}
      <Trans>
        Last updated <Time at={new Date(oldest).toISOString()} />.
      </Trans>
    </>
  );
}

function useQueryCache<T extends number | boolean | null>(select: (client: QueryClient) => T): T {
  const client = useQueryClient();
  return useSyncExternalStore(
    (listener) => client.getQueryCache().subscribe(listener),
    () => select(client),
    () => select(client),
  );
}

/** Whether a query of the page failed and has no cached data either. */
function isAnyMissing(client: QueryClient): boolean {
  return listActiveQueries(client).some(
    ({ state }) => state.status === 'pending' && state.fetchFailureCount > 0,
  );
}

/** When the oldest restored data on the page was loaded, in milliseconds since 1970; null if nothing is restored. */
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

/** The unread count is on every page, so it does not count as part of the page. */
const unreadCountHash = hashKey(notificationKeys.newest);

/**
 * Says that a post was refused when it was sent while the member was on another page. Links to its page, which shows
 * the reason.
 */
export function RefusedPostBanner() {
  const member = useCachedSession()?.member ?? null;
  const { pathname } = useLocation();
  const refused = useOfflineQueue(member?.id ?? null)
    .filter((item) => item.refusalReason !== null)
    .map((item) => {
      const kind = offlineActionKinds.find(({ name }) => name === item.kind);
      return { item, path: kind?.accepts(item.data) === true ? kind.path(item.data) : null };
    })
    .find(({ path }) => path !== null && path !== getPageKey(pathname));
  if (refused === undefined || refused.path === null) return null;
  return (
    <p role="alert" className={classes.refused}>
      {refused.item.kind === 'answer'
        ? t`Your answer couldn't be posted.`
        : t`Your reply couldn't be posted.`}{' '}
      <Link href={refused.path}>{t`View`}</Link>
    </p>
  );
}
