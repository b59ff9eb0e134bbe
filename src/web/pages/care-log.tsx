import { t } from '@lingui/core/macro';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { CareEntry } from '#shared/care.ts';
import { logQuery } from '#web/care/care.ts';
import { LogList } from '#web/care/LogList.tsx';
import { lazyPart } from '#web/platform/lazy-part.ts';
import { usePageTitle } from '#web/platform/title.ts';
import { Empty } from '#web/ui/Empty.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import classes from './page.module.css';

const CareDialog = lazyPart(() => import('#web/care/CareDialog.tsx'));

/** What operators did, for every member. */
export function CareLogPage() {
  usePageTitle(t`What was done and why`);
  const client = useQueryClient();
  const query = useInfiniteQuery(logQuery);
  const [restoring, setRestoring] = useState<CareEntry['restorable']>(null);
  return (
    <>
      <div className={classes.header}>
        <PageHeading className={classes.heading}>{t`What was done and why`}</PageHeading>
      </div>
      <PagedList
        query={query}
        noun="results"
        keyOf={(entry) => entry.id}
        pending={null}
        empty={
          <Empty title={t`Nothing was done yet`} text={t`What operators hide, lock or end shows up here.`} />
        }
      >
        {(entries) => <LogList entries={entries} onRestore={setRestoring} />}
      </PagedList>
      {restoring !== null && (
        <Suspense>
          <CareDialog
            post={restoring}
            actions={['restore']}
            onClose={() => {
              setRestoring(null);
              void client.invalidateQueries({ queryKey: logQuery.queryKey });
            }}
          />
        </Suspense>
      )}
    </>
  );
}
