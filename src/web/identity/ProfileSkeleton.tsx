import { t } from '@lingui/core/macro';
import { QuestionCardPlaceholders } from '#web/discovery/index.ts';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import header from './ProfileHeader.module.css';

const stats = ['3.75rem', '3.25rem', '3.5rem', '2.5rem'];

/** The placeholder of a profile: header, counts, charts, tabs and the first tab's list. */
export function ProfileSkeleton() {
  return (
    <LoadingRegion label={t`Loading profile`}>
      <span className={header.who}>
        <Skeleton width="72px" height="72px" round />
        <span className={header.lines}>
          <Skeleton width="14rem" height="2.25rem" />
          <Skeleton width="18rem" />
        </span>
      </span>
      <span className={header.stats}>
        {stats.map((width) => (
          <span key={width} className={header.stat}>
            <Skeleton width="1.5rem" height="1.625rem" />
            <Skeleton width={width} />
          </span>
        ))}
      </span>
      <span className={header.year}>
        <Skeleton width="5rem" />
        <Skeleton width="100%" height="7.25rem" />
      </span>
      <span className={header.tabs}>
        <Skeleton width="5rem" />
        <Skeleton width="4.25rem" />
      </span>
      <QuestionCardPlaceholders />
    </LoadingRegion>
  );
}
