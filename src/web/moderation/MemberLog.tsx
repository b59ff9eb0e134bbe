import { t } from '@lingui/core/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { ModerationLogEntry } from '#shared/moderation/moderation.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { memberLogQuery } from './member-page.ts';
import { ModerationLogList } from './ModerationLogList.tsx';

const ModeratePostDialog = lazyComponent(() => import('./ModeratePostDialog.tsx'));

/** The moderation actions that concern a member: warnings, suspensions, decisions about posts and objections. */
export function MemberLog({ id }: { id: number }) {
  const query = useInfiniteQuery(memberLogQuery(id));
  const [restoring, setRestoring] = useState<ModerationLogEntry['restorable']>(null);
  return (
    <>
      <PagedList
        query={query}
        noun="results"
        keyOf={(entry) => entry.id}
        pending={null}
        empty={<EmptyState title={t`No moderation actions yet`} />}
      >
        {(entries) => <ModerationLogList entries={entries} onRestore={setRestoring} />}
      </PagedList>
      {restoring !== null && (
        <Suspense>
          <ModeratePostDialog post={restoring} actions={['restore']} onClose={() => setRestoring(null)} />
        </Suspense>
      )}
    </>
  );
}
