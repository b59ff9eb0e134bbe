import { t } from '@lingui/core/macro';
import { LoadingRegion } from '#web/ui/Pending.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { SkeletonLines } from '#web/ui/SkeletonLines.tsx';
import classes from './DraftList.module.css';

/** Some drafts in grey: each with its name, two lines of its text, and its time. */
export function DraftSkeletons() {
  return (
    <LoadingRegion label={t`Loading your drafts`}>
      {['first', 'second', 'third'].map((each) => (
        <span key={each} className={classes.line}>
          <span className={classes.about}>
            <SkeletonLines widths={['60%', '96%', '72%', '6rem']} />
          </span>
          <Skeleton width="4.75rem" height="2.125rem" />
        </span>
      ))}
    </LoadingRegion>
  );
}
