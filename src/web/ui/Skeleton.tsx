import type { CSSProperties } from 'react';
import classes from './Skeleton.module.css';

/** A grey bar in place of a line of text or of a round element. */
export function Skeleton({
  width,
  height = '1em',
  round = false,
}: {
  width: CSSProperties['width'];
  height?: CSSProperties['height'];
  round?: boolean;
}) {
  return (
    <span
      className={classes.bar}
      data-round={round || undefined}
      style={{ inlineSize: width, blockSize: height }}
    />
  );
}

/** Grey bars in place of several lines. */
export function SkeletonLines({ widths }: { widths: readonly CSSProperties['width'][] }) {
  return (
    <span className={classes.lines}>
      {widths.map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </span>
  );
}
