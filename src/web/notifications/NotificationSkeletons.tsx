import { t } from '@lingui/core/macro';
import { LoadingRegion } from '#web/ui/Pending.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import classes from './NotificationList.module.css';

const widths = ['70%', '55%', '80%', '62%', '74%', '48%'];

/** Notifications on their way. */
export function NotificationSkeletons({ part = false }: { part?: boolean }) {
  return (
    <LoadingRegion label={t`Loading notifications`} part={part}>
      {widths.map((width) => (
        <span key={width} className={classes.item}>
          <Skeleton width="36px" height="36px" round />
          <span style={{ display: 'grid', flex: 1, gap: '0.5rem' }}>
            <Skeleton width={width} />
            <Skeleton width="6rem" height="0.8125rem" />
          </span>
        </span>
      ))}
    </LoadingRegion>
  );
}
