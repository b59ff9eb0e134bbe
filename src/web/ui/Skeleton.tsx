import type { CSSProperties } from 'react';
import classes from './Skeleton.module.css';

/** A grey bar in the place of a line of text, or of something round. */
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
