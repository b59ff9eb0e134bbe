import type { ReactNode } from 'react';
import classes from './TopicGrid.module.css';

/** Topics side by side where there is room. */
export function TagGrid({ children, faded = false }: { children: ReactNode; faded?: boolean }) {
  return (
    <div className={classes.grid} aria-busy={faded} data-faded={faded || undefined}>
      {children}
    </div>
  );
}
