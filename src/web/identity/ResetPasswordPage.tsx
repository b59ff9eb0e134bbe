import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation, useRouter } from '#web/core/router.ts';
import { Link } from '#web/ui/Link.tsx';
import { useRef, useState } from 'react';
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
import classes from './auth-pages.module.css';

type Problem = { field: 'password' | 'confirm' | null; message: string };

/**
 * The target of the link in the email for a forgotten password. The token leaves the browser only when the form is
 * submitted.
 */
export function ResetPasswordPage() {
  usePageTitle(t`Set a new password`);
  const token = useLocation().hash;
  const [password, setPassword] = useState('');
  const [confirm, setConfirm] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const confirmField = useRef<HTMLInputElement>(null);
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
    onError: (error) => fail({ field: null, message: getActionErrorMessage(error) }),
  });

  function fail(newProblem: Problem) {
    setProblem(newProblem);
    if (newProblem.field === null) return;
    (newProblem.field === 'password' ? passwordField : confirmField).current?.focus();
  }

  function submit() {
    const length = passwordChange.shape.newPassword.safeParse(password);
    if (confirm !== password) return fail({ field: 'confirm', message: translateError('passwords-differ') });
    if (!length.success)
      return fail({
        field: 'password',
        message: translateSchemaError(length.error),
      });
    setProblem(null);
    return reset.mutate();
  }

  return (
    <VisitorFrame>
      <PageHeading className={classes.heading}>{t`Set a new password`}</PageHeading>
      <p className={classes.lead}>{t`You will be signed out everywhere.`}</p>
      <AccountForm
        submit={t`Set password`}
        busy={reset.isPending}
        error={problem?.field === null ? problem.message : null}
        onSubmit={submit}
      >
        <div>
          <PasswordField
            ref={passwordField}
            label={t`New password`}
            autoComplete="new-password"
            value={password}
            error={problem?.field === 'password' && problem.message}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <PasswordStrength password={password} />
        </div>
        <PasswordField
          ref={confirmField}
          label={t`Confirm new password`}
          autoComplete="new-password"
          toggle={false}
          value={confirm}
          error={problem?.field === 'confirm' && problem.message}
          onChange={(event) => setConfirm(event.currentTarget.value)}
        />
      </AccountForm>
      <p className={classes.other}>
        <Link href="/forgot-password">{t`Request a new link`}</Link>
      </p>
    </VisitorFrame>
  );
}
