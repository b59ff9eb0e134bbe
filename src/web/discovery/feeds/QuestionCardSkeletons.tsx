import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { postCardStyles as classes } from '#web/posts/index.ts';
import { Skeleton } from '#web/ui/Skeleton.tsx';

const rows = ['92%', '64%', '78%', '50%', '86%'];

/**
 * The placeholder of a list of questions.
 * @param part whether the page shows more than the list.
 * @param children placeholders for what is above the list.
 */
export function QuestionCardSkeletons({ part = false, children }: { part?: boolean; children?: ReactNode }) {
  return (
    <LoadingRegion label={t`Loading questions`} part={part}>
      {children}
      <QuestionCardPlaceholders />
    </LoadingRegion>
  );
}

/** The same as a part of another placeholder. */
export function QuestionCardPlaceholders() {
  return rows.map((width) => (
    <span key={width} className={classes.card} style={{ display: 'grid', gap: '0.75rem' }}>
      <Skeleton width="11rem" height="1.25rem" />
      <Skeleton width={width} height="1.5rem" />
      <Skeleton width="100%" />
      <Skeleton width="70%" />
      <Skeleton width="14rem" />
    </span>
  ));
}
