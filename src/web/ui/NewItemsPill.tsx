import type { ReactNode } from 'react';
import classes from './NewItemsPill.module.css';

/** A button that says what is new and shows it when pressed. Nothing moves before that. */
export function NewItemsPill({ children, onClick }: { children: ReactNode; onClick: () => void }) {
  return (
    <output className={classes.container}>
      <button type="button" className={classes.pill} onClick={onClick}>
        {children}
      </button>
    </output>
  );
}
