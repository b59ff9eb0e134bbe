import { IconAlertCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './fields.module.css';

/** The error message of a form, announced to screen readers immediately. */
export function FormError({ message, children }: { message: string | null; children?: ReactNode }) {
  if (message === null) return null;
  return (
    <div role="alert" className={classes.formError}>
      <IconAlertCircle size={18} stroke={1.8} aria-hidden />
      <div>
        {message}
        {children}
      </div>
    </div>
  );
}
