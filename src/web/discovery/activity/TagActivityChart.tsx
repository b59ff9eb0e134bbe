import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getYearUntil } from '#shared/discovery/activity.ts';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { tagActivityQuery } from './activity.ts';
import { WeeklyActivityChart } from './WeeklyActivityChart.tsx';
import classes from './TagActivityChart.module.css';

/**
 * The activity of a tag over a year. The placeholder has the same height, so the questions below do not move. If
 * loading fails, a message says so.
 * @param activeAt the time of the latest activity in the tag.
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

/** The placeholder, with the height of the chart. */
export function TagActivityChartSkeleton() {
  return (
    <span className={classes.frame}>
      <Skeleton width="100%" height="9rem" />
    </span>
  );
}
