import type { CSSProperties } from 'react';
import classes from './Skeleton.module.css';

/** A grey bar in the place of a line of text. */
export function Skeleton({
  width,
  height = '1em',
}: {
  width: CSSProperties['width'];
  height?: CSSProperties['height'];
}) {
  return <span className={classes.bar} style={{ inlineSize: width, blockSize: height }} />;
}
