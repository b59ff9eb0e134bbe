import { t } from '@lingui/core/macro';
import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { accountMessages, email as emailAddress } from '#shared/identity/accounts.ts';
import { recoveryMessages } from '#shared/identity/account-recovery.ts';
import { AccountForm } from './AccountForm.tsx';
import { api, readJson } from '#web/core/api.ts';
import { ApiError, translateServerMessage } from '#web/core/errors.ts';
import { usePageTitle } from '#web/core/page-title.ts';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import classes from './auth-pages.module.css';

/** Asks for the link that sets a new password, or says whom to ask where there is no mail. */
export function ForgotPasswordPage() {
  usePageTitle(t`Forgot password?`);
  const resetMethod = useQuery({
    queryKey: ['password-resets'],
    queryFn: ({ signal }) => readJson(api['password-resets'].$get({}, { init: { signal } })),
  });
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState<{ isOfField: boolean; message: string } | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const ask = useMutation({
    mutationFn: (address: string) => readJson(api['password-resets'].$post({ json: { email: address } })),
  });

  function submit() {
    if (!emailAddress.safeParse(email).success) {
      setProblem({ isOfField: true, message: translateServerMessage(accountMessages.invalidEmail) });
      field.current?.focus();
      return;
    }
    setProblem(null);
    ask.mutate(email, {
      onError: (error) => setProblem({ isOfField: false, message: getErrorMessage(error) }),
    });
  }

  return (
    <>
      <PageHeading className={classes.heading}>{t`Forgot password?`}</PageHeading>
      <p className={classes.lead}>
        <output>{ask.isSuccess ? getSentMessage(email) : getLead(resetMethod.data)}</output>
      </p>
      {resetMethod.data?.byEmail !== false && !ask.isSuccess && (
        <AccountForm
          submit={t`Send the link`}
          busy={ask.isPending}
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
        <Link to="/login">{t`Back to signing in`}</Link>
      </p>
    </>
  );
}

function getLead(how: { byEmail: boolean } | undefined): string {
  return how?.byEmail === false
    ? translateServerMessage(recoveryMessages.emailDisabled)
    : t`We mail you a link that sets a new one.`;
}

const getSentMessage = (email: string) =>
  t`If ${email} belongs to an account, a link is on its way there. It works once, within an hour.`;

function getErrorMessage(error: Error): string {
  return error instanceof ApiError
    ? translateServerMessage(error.message)
    : t`That did not reach the server. Please check your connection and try again.`;
}
