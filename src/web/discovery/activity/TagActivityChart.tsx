import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getYearUntil } from '#shared/discovery/activity.ts';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { tagActivityQuery } from './activity.ts';
import { WeeklyActivityChart } from './WeeklyActivityChart.tsx';
import classes from './TagActivityChart.module.css';

/**
 * A topic's year, in a place that is as high before it comes, so that the questions below stay where they are.
 * Where it does not come, a line says so.
 * @param activeAt when something happened in the topic for the last time.
 */
export function TagActivityChart({ tag, activeAt }: { tag: string; activeAt: string | null }) {
  const [{ from }] = useState(() => getYearUntil(new Date()));
  const isInactive = activeAt === null || activeAt < from;
  const { data, isPending, refetch } = useQuery({ ...tagActivityQuery(tag), enabled: !isInactive });
  if (isInactive) return <p className={classes.empty}>{t`No activity in the last year.`}</p>;
  if (data === undefined && !isPending)
    return (
      <p className={classes.empty}>
        {t`The activity could not be loaded.`}{' '}
        <button type="button" className={classes.retry} onClick={() => void refetch()}>
          {t`Try again`}
        </button>
      </p>
    );
  if (data === undefined) return <TagActivityChartSkeleton />;
  return (
    <div className={classes.frame}>
      <WeeklyActivityChart activity={data} />
    </div>
  );
}

/** Where it will be, as high as it. */
export function TagActivityChartSkeleton() {
  return (
    <span className={classes.frame}>
      <Skeleton width="100%" height="9rem" />
    </span>
  );
}
