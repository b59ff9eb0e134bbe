import { t } from '@lingui/core/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '#web/ui/Link.tsx';
import { useRef, useState } from 'react';
import { email as emailAddress } from '#shared/identity/accounts.ts';
import { AccountForm } from './AccountForm.tsx';
import { useVisitorPath } from './next-page.ts';
import { resetMethodQuery } from './sign-in.ts';
import { getActionErrorMessage } from '#web/core/action-error.ts';
import { api, readJson } from '#web/core/api.ts';
import { translateError } from '#web/core/errors.ts';
import { paths } from '#web/core/paths.ts';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import classes from './auth-pages.module.css';

/** Requests a link to set a new password, or says whom to contact if the site has no mail server. */
export function ForgotPasswordPage() {
  usePageTitle(t`Forgot password?`);
  const loginPath = useVisitorPath(paths.login);
  const resetMethod = useQuery(resetMethodQuery);
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState<{ isOfField: boolean; message: string } | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const requestReset = useMutation({
    mutationFn: (address: string) => readJson(api['password-resets'].$post({ json: { email: address } })),
  });

  function submit() {
    if (!emailAddress.safeParse(email).success) {
      setProblem({ isOfField: true, message: translateError('email-not-valid') });
      field.current?.focus();
      return;
    }
    setProblem(null);
    requestReset.mutate(email, {
      onError: (error) => setProblem({ isOfField: false, message: getActionErrorMessage(error) }),
    });
  }

  return (
    <>
      <PageHeading className={classes.heading}>{t`Forgot password?`}</PageHeading>
      <p className={classes.lead}>
        <output>{requestReset.isSuccess ? getSentMessage(email) : getLead(resetMethod.data)}</output>
      </p>
      {resetMethod.data?.byEmail !== false && !requestReset.isSuccess && (
        <AccountForm
          submit={t`Send reset link`}
          busy={requestReset.isPending}
          error={problem?.isOfField === false ? problem.message : null}
          onSubmit={submit}
        >
          <TextInput
            ref={field}
            label={t`Email`}
            type="email"
            autoComplete="username"
            value={email}
            error={problem?.isOfField === true && problem.message}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        </AccountForm>
      )}
      <p className={classes.other}>
        <Link href={loginPath} replace>{t`Back to sign-in`}</Link>
      </p>
    </>
  );
}

function getLead(how: { byEmail: boolean } | undefined): string {
  return how?.byEmail === false
    ? translateError('password-reset-by-email-disabled')
    : t`We'll email you a link to set a new password.`;
}

const getSentMessage = (email: string) =>
  t`If ${email} belongs to an account, we've sent a link to it. The link works once and expires after one hour.`;
