import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { type FormEvent, useState } from 'react';
import { email as emailAddress } from '#shared/identity/accounts.ts';
import { OwnPasswordField } from './OwnPasswordField.tsx';
import { getActionErrorMessage } from '#web/core/action-error.ts';
import { ApiError, translateError } from '#web/core/errors.ts';
import { toast } from '#web/core/toast.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { type Problem, useFields } from '#web/ui/useFields.ts';
import { useChangeEmail, useHasPassword } from './settings.ts';
import classes from './account-settings.module.css';

/** Asks for the new address and the password. */
export function ChangeEmailDialog(props: { opened: boolean; isEmailEnabled: boolean; onClose: () => void }) {
  return (
    <Dialog title={t`Change email`} opened={props.opened} onClose={props.onClose}>
      <ChangeEmailForm {...props} />
    </Dialog>
  );
}

function ChangeEmailForm({ isEmailEnabled, onClose }: { isEmailEnabled: boolean; onClose: () => void }) {
  const { texts, field, showProblem, formError } = useFields(useState({ email: '', password: '' }));
  const change = useChangeEmail();
  const hasPassword = useHasPassword();

  function submit(event: FormEvent) {
    event.preventDefault();
    if (change.isPending) return;
    if (!emailAddress.safeParse(texts.email).success)
      return showProblem({ field: 'email', message: translateError('email-not-valid') });
    showProblem(null);
    change.mutate(texts, {
      onSuccess: ({ pendingEmail }) => {
        onClose();
        toast(
          pendingEmail === null ? t`Your email address has been changed.` : t`Email sent to ${pendingEmail}.`,
        );
      },
      onError: (error) => showProblem(toFormProblem(error)),
    });
  }

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <p>
        {isEmailEnabled
          ? t`We'll send a confirmation link to the new address and a notice to the old one. From the old address you can undo the change for 7 days.`
          : t`You will sign in with the new address.`}
      </p>
      <TextInput label={t`New email`} type="email" autoComplete="email" data-autofocus {...field('email')} />
      <OwnPasswordField {...field('password')} />
      <FormError message={formError} />
      <div className={classes.dialogButtons}>
        <Button variant="default" onClick={onClose}>
          {t`Cancel`}
        </Button>
        <Button type="submit" loading={change.isPending || hasPassword === undefined}>
          {t`Change`}
        </Button>
      </div>
    </form>
  );
}

/** Assigns the server's error to a field. */
export function toFormProblem(error: Error): Problem<'email' | 'password'> {
  if (!(error instanceof ApiError)) return { field: null, message: getActionErrorMessage(error) };
  const [named] = error.errors;
  if (named?.field === 'email' || named?.field === 'password')
    return { field: named.field, message: named.message };
  return { field: null, message: error.message };
}
