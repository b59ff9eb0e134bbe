import type { ReactNode } from 'react';
import classes from './NewItemsPill.module.css';

/** A pill that says what came in meanwhile, and brings it when pressed: nothing moves before. */
export function NewItemsPill({ children, onClick }: { children: ReactNode; onClick: () => void }) {
  return (
    <output className={classes.container}>
      <button type="button" className={classes.pill} onClick={onClick}>
        {children}
      </button>
    </output>
  );
}
