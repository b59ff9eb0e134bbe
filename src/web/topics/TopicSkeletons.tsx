import { t } from '@lingui/core/macro';
import { LoadingRegion } from '#web/ui/Pending.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { TagGrid } from './TopicGrid.tsx';
import classes from './TopicCard.module.css';

const widths = ['6rem', '4.5rem', '8rem', '5rem', '7rem', '6.5rem', '4rem', '5.5rem'];

/** A grid of topics on its way. */
export function TagSkeletons() {
  return (
    <LoadingRegion label={t`Loading topics`}>
      <TagGrid>
        {widths.map((width) => (
          <span key={width} className={classes.card} style={{ gap: '0.75rem' }}>
            <Skeleton width={width} height="1.5rem" />
            <Skeleton width="90%" />
            <Skeleton width="9rem" height="0.875rem" />
          </span>
        ))}
      </TagGrid>
    </LoadingRegion>
  );
}
