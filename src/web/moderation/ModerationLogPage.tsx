import { t } from '@lingui/core/macro';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { ModerationLogEntry } from '#shared/moderation/moderation.ts';
import { canModerate } from '#shared/identity/roles.ts';
import { useMember } from '#web/core/session.ts';
import { moderationLogQuery } from './moderation.ts';
import { ModerationMenu } from './ModerationMenu.tsx';
import { ModerationLogList } from './ModerationLogList.tsx';
import { lazyComponent } from '#web/core/lazy.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import classes from '#web/ui/page.module.css';

const ModeratePostDialog = lazyComponent(() => import('./ModeratePostDialog.tsx'));

/** The moderation log, for every member. */
export function ModerationLogPage() {
  usePageTitle(t`Moderation log`);
  const isModerator = canModerate(useMember()?.role ?? 'member');
  const client = useQueryClient();
  const query = useInfiniteQuery(moderationLogQuery);
  const [restoring, setRestoring] = useState<ModerationLogEntry['restorable']>(null);
  return (
    <>
      <div className={classes.header}>
        <PageHeading className={classes.heading}>{t`Moderation log`}</PageHeading>
        {isModerator && <ModerationMenu />}
      </div>
      <PagedList
        query={query}
        noun="results"
        keyOf={(entry) => entry.id}
        pending={null}
        empty={
          <EmptyState
            title={t`No moderation actions yet`}
            text={t`Actions that moderators take show up here.`}
          />
        }
      >
        {(entries) => <ModerationLogList entries={entries} onRestore={setRestoring} />}
      </PagedList>
      {restoring !== null && (
        <Suspense>
          <ModeratePostDialog
            post={restoring}
            actions={['restore']}
            onClose={() => {
              setRestoring(null);
              void client.invalidateQueries({ queryKey: moderationLogQuery.queryKey });
            }}
          />
        </Suspense>
      )}
    </>
  );
}
