import { t } from '@lingui/core/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import { usePageSearch } from '#web/core/router.ts';
import type { NotificationFilter } from '#shared/notifications/notifications.ts';
import { MarkAllReadButton, NotificationList, NotificationSkeletons } from './NotificationList.tsx';
import { useUnreadCount } from './notifications.ts';
import { notificationsQuery } from './notification-lists.ts';
import { useLiveNotifications } from './useLiveNotifications.ts';
import { paths } from '#web/core/paths.ts';
import { ButtonLink } from '#web/ui/Link.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { NewItemsPill } from '#web/ui/NewItemsPill.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { type TabLink, TabLinks } from '#web/ui/TabLinks.tsx';
import classes from '#web/ui/page.module.css';
import { oneOf } from '#web/core/page-search.ts';

const parseNotificationsSearch = ({ tab }: Record<string, unknown>): { tab?: 'unread' | undefined } => ({
  tab: oneOf(tab, 'unread'),
});

const tabs = (): readonly TabLink<NotificationFilter>[] => [
  { key: 'all', label: t`All`, href: paths.notifications },
  { key: 'unread', label: t`Unread`, href: `${paths.notifications}?tab=unread` },
];

export function NotificationsPage() {
  usePageTitle(t`Notifications`);
  const { tab: filter = 'all' } = usePageSearch(parseNotificationsSearch);
  const query = useInfiniteQuery(notificationsQuery(filter));
  const unread = useUnreadCount();
  const newItems = useLiveNotifications(filter);

  return (
    <>
      <div className={classes.header}>
        <PageHeading className={classes.heading}>{t`Notifications`}</PageHeading>
        <MarkAllReadButton newest={query.data?.pages[0]?.items[0]?.id ?? null} unread={unread} />
      </div>
      <TabLinks label={t`Notifications`} tabs={tabs()} current={filter}>
        <PagedList
          key={filter}
          query={query}
          noun="notifications"
          keyOf={(notification) => notification.id}
          pending={<NotificationSkeletons />}
          empty={filter === 'unread' ? <NoUnread /> : <NoNotifications />}
        >
          {(notifications) => (
            <>
              {newItems.pill !== null && <NewItemsPill onClick={newItems.show}>{newItems.pill}</NewItemsPill>}
              <NotificationList notifications={notifications} />
            </>
          )}
        </PagedList>
      </TabLinks>
    </>
  );
}

function NoUnread() {
  return (
    <EmptyState title={t`All caught up`} text={t`Unread notifications show up here.`}>
      <ButtonLink href={paths.notifications}>{t`Show all`}</ButtonLink>
    </EmptyState>
  );
}

function NoNotifications() {
  return (
    <EmptyState
      title={t`No notifications yet`}
      text={t`Answers, replies and upvotes on your posts show up here, and answers to questions you follow.`}
    >
      <ButtonLink href={`${paths.home}?tab=unanswered`}>{t`Find a question to answer`}</ButtonLink>
    </EmptyState>
  );
}
