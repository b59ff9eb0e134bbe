import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation, useRouter } from '#web/core/router.ts';
import { Link } from '#web/ui/Link.tsx';
import { useState } from 'react';
import { passwordChange } from '#shared/identity/profiles.ts';
import { AccountForm } from './AccountForm.tsx';
import { PasswordField, PasswordStrength } from './PasswordField.tsx';
import { VisitorFrame } from '#web/ui/VisitorFrame.tsx';
import { getActionErrorMessage } from '#web/core/action-error.ts';
import { api, readJson } from '#web/core/api.ts';
import { translateError, translateSchemaError } from '#web/core/errors.ts';
import { setSession } from '#web/core/session.ts';
import { toast } from '#web/core/toast.ts';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { useFields } from '#web/ui/useFields.ts';
import classes from './auth-pages.module.css';

/**
 * The target of the link in the email for a forgotten password. The token leaves the browser only when the form is
 * submitted.
 */
export function ResetPasswordPage() {
  usePageTitle(t`Set a new password`);
  const token = useLocation().hash;
  const { texts, field, showProblem, formError } = useFields(useState({ password: '', confirm: '' }));
  const { password, confirm } = texts;
  const client = useQueryClient();
  const router = useRouter();
  const reset = useMutation({
    mutationFn: () => readJson(api.email['password-reset'].$post({ json: { token, newPassword: password } })),
    onSuccess: () => {
      // All sessions have ended, including this browser's.
      setSession(client, { member: null, hasSignedOut: true });
      toast(t`Password changed. Please sign in with your new password.`);
      void router.navigate('/login', { replace: true });
    },
    onError: (error) => showProblem({ field: null, message: getActionErrorMessage(error) }),
  });

  function submit() {
    const length = passwordChange.shape.newPassword.safeParse(password);
    if (confirm !== password)
      return showProblem({ field: 'confirm', message: translateError('passwords-differ') });
    if (!length.success)
      return showProblem({ field: 'password', message: translateSchemaError(length.error) });
    showProblem(null);
    return reset.mutate();
  }

  return (
    <VisitorFrame>
      <PageHeading className={classes.heading}>{t`Set a new password`}</PageHeading>
      <p className={classes.lead}>{t`You will be signed out everywhere.`}</p>
      <AccountForm submit={t`Set password`} busy={reset.isPending} error={formError} onSubmit={submit}>
        <div>
          <PasswordField label={t`New password`} autoComplete="new-password" {...field('password')} />
          <PasswordStrength password={password} />
        </div>
        <PasswordField
          label={t`Confirm new password`}
          autoComplete="new-password"
          toggle={false}
          {...field('confirm')}
        />
      </AccountForm>
      <p className={classes.other}>
        <Link href="/forgot-password">{t`Request a new link`}</Link>
      </p>
    </VisitorFrame>
  );
}
