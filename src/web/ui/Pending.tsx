import type { ReactNode } from 'react';
import classes from './Pending.module.css';

/** Holds skeletons; they show after 150 ms, so that what is there at once does not flicker. */
export function Pending({ label, children }: { label: string; children: ReactNode }) {
  return (
    <output className={classes.pending} aria-busy="true" aria-label={label}>
      {children}
    </output>
  );
}
