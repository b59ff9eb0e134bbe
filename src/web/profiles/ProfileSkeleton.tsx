import { t } from '@lingui/core/macro';
import { Pending } from '#web/ui/Pending.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import classes from './ProfileHeader.module.css';

/** A profile on its way. */
export function ProfileSkeleton() {
  return (
    <Pending label={t`Loading profile`}>
      <span className={classes.who}>
        <Skeleton width="72px" height="72px" />
        <span style={{ display: 'grid', gap: '0.75rem' }}>
          <Skeleton width="14rem" height="2.25rem" />
          <Skeleton width="18rem" />
        </span>
      </span>
      <span style={{ display: 'grid', gap: '0.75rem', marginBlock: '2rem' }}>
        <Skeleton width="90%" />
        <Skeleton width="60%" />
      </span>
    </Pending>
  );
}
