import type { ReactNode } from 'react';
import classes from './VisuallyHidden.module.css';

/**
 * Text for screen readers only.
 * @param component `output` for a text that they announce when it changes.
 */
export function VisuallyHidden({
  component: Component = 'span',
  id,
  children,
}: {
  component?: 'span' | 'output';
  id?: string;
  children: ReactNode;
}) {
  return (
    <Component id={id} className={classes.hidden}>
      {children}
    </Component>
  );
}
