import type { CSSProperties } from 'react';
import { Skeleton } from './Skeleton.tsx';
import classes from './SkeletonLines.module.css';

/** Grey bars in the place of some lines, one below the other. */
export function SkeletonLines({ widths }: { widths: readonly CSSProperties['width'][] }) {
  return (
    <span className={classes.lines}>
      {widths.map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </span>
  );
}
