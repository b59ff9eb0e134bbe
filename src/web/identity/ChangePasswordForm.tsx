import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { type FormEvent, useState } from 'react';
import { passwordChange } from '#shared/identity/profiles.ts';
import { PasswordField, PasswordStrength } from './PasswordField.tsx';
import { ApiError, translateError, translateSchemaError } from '#web/core/errors.ts';
import { toast } from '#web/core/toast.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { type Problem, useFields } from '#web/ui/useFields.ts';
import { useChangePassword } from './settings.ts';
import classes from './settings-form.module.css';

const empty = { currentPassword: '', newPassword: '', confirmPassword: '' };
type Field = keyof typeof empty;

/** @param isHidden keeps the place of the form while it is unknown whether the member needs it */
export function ChangePasswordForm({ isHidden }: { isHidden: boolean }) {
  const { texts, setTexts, field, showProblem, formError } = useFields(useState(empty));
  const change = useChangePassword();

  function submit(event: FormEvent) {
    event.preventDefault();
    if (change.isPending) return;
    const problem = validatePasswordChange(texts);
    showProblem(problem);
    if (problem !== null) return;
    const { currentPassword, newPassword } = texts;
    change.mutate(
      { currentPassword, newPassword },
      {
        onSuccess: () => {
          setTexts(empty);
          toast(t`Password changed. You are signed out on all other devices.`);
        },
        onError: (error) => showProblem(toFormProblem(error)),
      },
    );
  }

  return (
    <form
      className={isHidden ? `${classes.form} ${classes.hidden}` : classes.form}
      inert={isHidden}
      noValidate
      onSubmit={submit}
    >
      <PasswordField
        label={t`Current password`}
        autoComplete="current-password"
        {...field('currentPassword')}
      />
      <div>
        <PasswordField
          label={t`New password`}
          autoComplete="new-password"
          toggle={false}
          {...field('newPassword')}
        />
        <PasswordStrength password={texts.newPassword} />
      </div>
      <PasswordField
        label={t`Confirm new password`}
        autoComplete="new-password"
        toggle={false}
        {...field('confirmPassword')}
      />
      <FormError message={formError} />
      <Button type="submit" loading={change.isPending}>
        {t`Change password`}
      </Button>
    </form>
  );
}

/** The first broken rule, in the order of the registration form (docs/product.md 2.1). */
function validatePasswordChange(form: typeof empty): Problem<Field> | null {
  if (form.currentPassword === '')
    return { field: 'currentPassword', message: t`Please enter your current password.` };
  if (form.newPassword !== form.confirmPassword)
    return { field: 'confirmPassword', message: translateError('passwords-differ') };
  const length = passwordChange.shape.newPassword.safeParse(form.newPassword);
  if (length.success) return null;
  return {
    field: 'newPassword',
    message: translateSchemaError(length.error),
  };
}

function toFormProblem(error: Error): Problem<Field> {
  if (!(error instanceof ApiError))
    return {
      field: null,
      message: t`Your password could not be changed. Please check your connection and try again.`,
    };
  const [named] = error.errors;
  const field = named?.field;
  if (field === 'currentPassword' || field === 'newPassword') return { field, message: named?.message ?? '' };
  return { field: null, message: error.message };
}
