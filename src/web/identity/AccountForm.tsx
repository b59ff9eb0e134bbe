import { Button } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { FormError } from '#web/ui/FormError.tsx';
import classes from './sign-in.module.css';

/** What /login and /register have in common. The browser's own checks are off: ours speak the specification's words. */
export function AccountForm(props: {
  submit: string;
  busy: boolean;
  /** Concerns the whole form; what concerns a field stands at the field. */
  error: string | null;
  onSubmit: () => void;
  children: ReactNode;
}) {
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!props.busy) props.onSubmit();
  }

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      {props.children}
      <FormError message={props.error} />
      <Button type="submit" fullWidth size="md" loading={props.busy} className={classes.submit ?? ''}>
        {props.submit}
      </Button>
    </form>
  );
}
