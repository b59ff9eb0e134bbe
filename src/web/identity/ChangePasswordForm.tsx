import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { type ChangeEvent, type FormEvent, useRef, useState } from 'react';
import { passwordChange } from '#shared/identity/profiles.ts';
import { PasswordField, PasswordStrength } from './PasswordField.tsx';
import { ApiError, translateError, translateSchemaError } from '#web/core/errors.ts';
import { toast } from '#web/core/toast.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { useChangePassword } from './settings.ts';
import classes from './settings-form.module.css';

const empty = { currentPassword: '', newPassword: '', confirmPassword: '' };
type Field = keyof typeof empty;
type Problem = { field: Field | null; message: string };

export function ChangePasswordForm() {
  const [form, setForm] = useState(empty);
  const [problem, setProblem] = useState<Problem | null>(null);
  const fields = useRef(new Map<Field, HTMLInputElement>());
  const change = useChangePassword();

  function fail(newProblem: Problem) {
    setProblem(newProblem);
    if (newProblem.field !== null) fields.current.get(newProblem.field)?.focus();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (change.isPending) return;
    const newProblem = validatePasswordChange(form);
    if (newProblem !== null) return fail(newProblem);
    setProblem(null);
    const { currentPassword, newPassword } = form;
    change.mutate(
      { currentPassword, newPassword },
      {
        onSuccess: () => {
          setForm(empty);
          toast(t`Password changed. You are signed out on all other devices.`);
        },
        onError: (error) => fail(toFormProblem(error)),
      },
    );
  }

  function field(name: Field) {
    return {
      ref: (element: HTMLInputElement | null) => {
        if (element === null) fields.current.delete(name);
        else fields.current.set(name, element);
      },
      value: form[name],
      error: problem?.field === name && problem.message,
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        const { value } = event.currentTarget;
        setForm((before) => ({ ...before, [name]: value }));
      },
    };
  }

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
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
        <PasswordStrength password={form.newPassword} />
      </div>
      <PasswordField
        label={t`Confirm new password`}
        autoComplete="new-password"
        toggle={false}
        {...field('confirmPassword')}
      />
      <FormError message={problem?.field === null ? problem.message : null} />
      <Button type="submit" loading={change.isPending}>
        {t`Change password`}
      </Button>
    </form>
  );
}

/** The first broken rule, in the order of the registration form (docs/product.md 2.1). */
function validatePasswordChange(form: typeof empty): Problem | null {
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

function toFormProblem(error: Error): Problem {
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
