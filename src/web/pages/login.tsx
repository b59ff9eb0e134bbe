import { TextInput } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { accountMessages, email as emailAddress } from '#shared/accounts.ts';
import { AccountForm } from '#web/accounts/AccountForm.tsx';
import { useSignIn } from '#web/accounts/accounts.ts';
import { PasswordField } from '#web/accounts/PasswordField.tsx';
import { ApiError } from '#web/platform/errors.ts';
import { paths } from '#web/platform/paths.ts';
import { usePageTitle } from '#web/platform/title.ts';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import classes from './account.module.css';

type Problem = { field: 'email' | 'password' | null; message: string };

export function LoginPage() {
  usePageTitle('Sign in');
  const { next } = useSearch({ from: '/visitor/login' });
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const emailField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const signIn = useSignIn();

  function fail(found: Problem) {
    setProblem(found);
    (found.field === 'email' ? emailField : passwordField).current?.focus();
  }

  function submit() {
    const address = emailAddress.safeParse(email);
    if (!address.success) return fail({ field: 'email', message: accountMessages.invalidEmail });
    if (password === '') return fail({ field: 'password', message: 'Please enter your password.' });
    setProblem(null);
    signIn.mutate({ email, password }, { onError: (error) => fail(problemOf(error)) });
  }

  return (
    <>
      <PageHeading className={classes.heading}>Sign in</PageHeading>
      {isAsk(next) && <p className={classes.notice}>{accountMessages.askSignedOut}</p>}
      <AccountForm
        submit="Sign in"
        busy={signIn.isPending}
        error={problem?.field === null ? problem.message : null}
        onSubmit={submit}
      >
        <TextInput
          ref={emailField}
          label="Email"
          type="email"
          autoComplete="username"

          value={email}
          error={problem?.field === 'email' && problem.message}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordField
          ref={passwordField}
          label="Password"
          autoComplete="current-password"
          value={password}
          error={problem?.field === 'password' && problem.message}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      </AccountForm>
      <p className={classes.other}>
        New here?{' '}
        <Link to="/register" search={{ next }}>
          Create an account
        </Link>
      </p>
    </>
  );
}

function problemOf(error: Error): Problem {
  if (!(error instanceof ApiError) || error.status >= 500)
    return { field: null, message: accountMessages.loginFailed };
  return { field: fieldOf(error.message), message: error.message };
}

function fieldOf(message: string): Problem['field'] {
  if (message === accountMessages.wrongPassword) return 'password';
  if (message === accountMessages.unknownEmail || message === accountMessages.invalidEmail) return 'email';
  return null;
}

function isAsk(next: string | undefined): boolean {
  return next === paths.ask || next?.startsWith(`${paths.ask}?`) === true;
}
