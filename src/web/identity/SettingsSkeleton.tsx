import type { CSSProperties } from 'react';
import { Skeleton, SkeletonLines } from '#web/ui/Skeleton.tsx';
import classes from './account-settings.module.css';

/** The placeholder for some lines and a button, with their final height. */
export function SettingsSkeleton({ lines }: { lines: readonly CSSProperties['width'][] }) {
  return (
    <span className={classes.setting}>
      {lines.map((width) => (
        <SkeletonLines key={width} widths={[width]} />
      ))}
      <span className={lines.length > 0 ? classes.buttons : undefined}>
        <Skeleton width="9rem" height="2.625rem" />
      </span>
    </span>
  );
}
