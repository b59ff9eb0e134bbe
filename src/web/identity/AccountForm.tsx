import { Button } from '#web/ui/Button.tsx';
import type { FormEvent, ReactNode } from 'react';
import { FormError } from '#web/ui/FormError.tsx';
import classes from './sign-in.module.css';

/**
 * The common layout of /login and /register. The browser's own validation is off, since it lacks the specified texts.
 */
export function AccountForm(props: {
  submit: string;
  busy: boolean;
  /** An error of the whole form. Errors of a field are shown at the field. */
  error: string | null;
  onSubmit: () => void;
  children: ReactNode;
}) {
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!props.busy) props.onSubmit();
  }

  return (
    // Without scripts, a browser must not send the password as part of an address.
    <form className={classes.form} method="post" noValidate onSubmit={submit}>
      {props.children}
      <FormError message={props.error} />
      <Button type="submit" fullWidth size="md" loading={props.busy} className={classes.submit ?? ''}>
        {props.submit}
      </Button>
    </form>
  );
}
