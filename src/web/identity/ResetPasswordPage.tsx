import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation, useRouter } from '#web/core/router.ts';
import { Link } from '#web/ui/Link.tsx';
import { useEffect, useState } from 'react';
import { passwordChange } from '#shared/identity/profiles.ts';
import { AccountForm } from './AccountForm.tsx';
import { Button } from '#web/ui/Button.tsx';
import { paths, stringifySearch } from '#web/core/paths.ts';
import type { PasswordResetResult } from '#shared/identity/account-recovery.ts';
import { PasswordField, PasswordStrength } from './PasswordField.tsx';
import { VisitorFrame } from '#web/ui/VisitorFrame.tsx';
import { getActionErrorMessage } from '#web/core/action-error.ts';
import { api, readJson } from '#web/core/api.ts';
import { translateError, translateSchemaError } from '#web/core/errors.ts';
import { setSession } from '#web/core/session.ts';
import { toast } from '#web/core/toast.ts';
import { PageHeading, requestHeadingFocus, usePageTitle } from '#web/ui/PageHeading.tsx';
import { useFields } from '#web/ui/useFields.ts';
import classes from './auth-pages.module.css';

/**
 * The target of the link in the email for a forgotten password. The token leaves the browser only when the form is
 * submitted.
 */
export function ResetPasswordPage() {
  const token = useLocation().hash;
  const { texts, field, showProblem, formError } = useFields(useState({ password: '', confirm: '' }));
  const { password, confirm } = texts;
  const client = useQueryClient();
  const router = useRouter();
  const reset = useMutation({
    mutationFn: () => readJson(api.email['password-reset'].$post({ json: { token, newPassword: password } })),
    onSuccess: (remaining) => {
      // All sessions have ended, including this browser's.
      setSession(client, { member: null, hasSignedOut: true });
      if (remaining.passkeys + remaining.linkedAccounts > 0) return;
      toast(t`Password changed. Please sign in with your new password.`);
      void router.navigate('/login', { replace: true });
    },
    onError: (error) => showProblem({ field: null, message: getActionErrorMessage(error) }),
  });

  usePageTitle(reset.isSuccess ? t`Password changed` : t`Set a new password`);

  function submit() {
    const length = passwordChange.shape.newPassword.safeParse(password);
    if (confirm !== password)
      return showProblem({ field: 'confirm', message: translateError('passwords-differ') });
    if (!length.success)
      return showProblem({ field: 'password', message: translateSchemaError(length.error) });
    showProblem(null);
    return reset.mutate();
  }

  if (reset.isSuccess) return <RemainingSignIn {...reset.data} />;
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
        <Link href={paths.forgotPassword}>{t`Request a new link`}</Link>
      </p>
    </VisitorFrame>
  );
}

/** Says what still signs in, because someone who knew the old password may have added it. */
function RemainingSignIn({ passkeys, linkedAccounts }: PasswordResetResult) {
  useEffect(requestHeadingFocus, []);
  return (
    <VisitorFrame>
      <PageHeading className={classes.heading}>{t`Password changed`}</PageHeading>
      <p className={classes.lead}>
        {t`These sign-in methods still work. If you don't recognize one of them, remove it in your settings.`}
      </p>
      <ul>
        {passkeys > 0 && <li>{t`Passkeys: ${passkeys}`}</li>}
        {linkedAccounts > 0 && <li>{t`Linked accounts: ${linkedAccounts}`}</li>}
      </ul>
      <div className={classes.actions}>
        <Button size="md" renderRoot={(props) => <Link href={reviewPath} {...props} />}>
          {t`Sign in and review`}
        </Button>
      </div>
    </VisitorFrame>
  );
}

const reviewPath = paths.login + stringifySearch({ next: `${paths.accountSettings}#passkeys` });
