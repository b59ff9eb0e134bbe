import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { yearUntil } from '#shared/activity.ts';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { topicActivityQuery } from './activity.ts';
import { WeekBars } from './WeekBars.tsx';
import classes from './TopicPicture.module.css';

/**
 * A topic's year, in a place that is as high before it comes, so that the questions below stay where they are.
 * Where it does not come, a line says so.
 * @param activeAt when something happened in the topic for the last time.
 */
export function TopicPicture({ tag, activeAt }: { tag: string; activeAt: string | null }) {
  const [{ from }] = useState(() => yearUntil(new Date()));
  const isQuiet = activeAt === null || activeAt < from;
  const { data, isPending, refetch } = useQuery({ ...topicActivityQuery(tag), enabled: !isQuiet });
  if (isQuiet) return <p className={classes.quiet}>{t`No activity in the last year.`}</p>;
  if (data === undefined && !isPending)
    return (
      <p className={classes.quiet}>
        {t`The activity could not be loaded.`}{' '}
        <button type="button" className={classes.again} onClick={() => void refetch()}>
          {t`Try again`}
        </button>
      </p>
    );
  if (data === undefined) return <TopicPicturePlace />;
  return (
    <div className={classes.place}>
      <WeekBars activity={data} />
    </div>
  );
}

/** Where it will be, as high as it. */
export function TopicPicturePlace() {
  return (
    <span className={classes.place}>
      <Skeleton width="100%" height="9rem" />
    </span>
  );
}
