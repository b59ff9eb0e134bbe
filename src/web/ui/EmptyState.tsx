import type { ReactNode } from 'react';
import classes from './list-states.module.css';

/** The message of an empty list: what will be here and the next step. */
export function EmptyState({
  title,
  text,
  children,
}: {
  title: ReactNode;
  text?: string;
  children?: ReactNode;
}) {
  return (
    <div className={classes.empty}>
      <p className={classes.title} dir="auto">
        {title}
      </p>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}
