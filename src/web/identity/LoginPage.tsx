import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/ui/Link.tsx';
import { useRef, useState } from 'react';
import { email as emailAddress } from '#shared/identity/accounts.ts';
import { AccountForm } from './AccountForm.tsx';
import { setupStateQuery, signInMethodsQuery, useSignIn } from './sign-in.ts';
import { OtherSignInMethods } from './OtherSignInMethods.tsx';
import { PasswordField } from './PasswordField.tsx';
import { TwoFactorForm } from './TwoFactorForm.tsx';
import { ApiError, translateError } from '#web/core/errors.ts';
import { isAskPath } from '#shared/identity/next-page.ts';
import { useNextPage, useSessionEnded, useVisitorPath } from './next-page.ts';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import WelcomeText from '#web/ui/WelcomeText.tsx';
import classes from './auth-pages.module.css';
import { paths } from '#web/core/paths.ts';

type Problem = { field: 'email' | 'password' | null; message: string };

export function LoginPage() {
  usePageTitle(t`Sign in`);
  const next = useNextPage();
  const registerPath = useVisitorPath(paths.register);
  const sessionEnded = useSessionEnded();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { passwordSignIn: hasPasswords = true } = useQuery(signInMethodsQuery).data ?? {};
  const [problem, setProblem] = useState<Problem | null>(null);
  const emailField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const [needsTwoFactor, setHalfIn] = useState(false);
  const signIn = useSignIn();

  function fail(newProblem: Problem) {
    setProblem(newProblem);
    (newProblem.field === 'email' ? emailField : passwordField).current?.focus();
  }

  function submit() {
    const address = emailAddress.safeParse(email);
    if (!address.success) return fail({ field: 'email', message: translateError('email-not-valid') });
    if (password === '') return fail({ field: 'password', message: t`Please enter your password.` });
    setProblem(null);
    signIn.mutate(
      { email, password },
      {
        onSuccess: ({ needs }) => setHalfIn(needs === 'two-factor'),
        onError: (error) => fail(toProblem(error)),
      },
    );
  }

  if (needsTwoFactor)
    return (
      <TwoFactorForm
        onBack={() => {
          setPassword('');
          setHalfIn(false);
        }}
      />
    );

  return (
    <>
      <WelcomeText />
      <PageHeading className={classes.heading}>{t`Sign in`}</PageHeading>
      <SetupNotice />
      {sessionEnded && (
        <p className={classes.notice}>
          {t`Your session has ended.`} {t`What you have typed is saved in this browser.`}
        </p>
      )}
      {isAskPath(next) && <p className={classes.notice}>{t`Please log in to ask a question`}</p>}
      {hasPasswords && (
        <AccountForm
          submit={t`Sign in`}
          busy={signIn.isPending}
          error={problem?.field === null ? problem.message : null}
          onSubmit={submit}
        >
          <TextInput
            ref={emailField}
            label={t`Email`}
            type="email"
            autoComplete="username webauthn"

            value={email}
            error={problem?.field === 'email' && problem.message}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordField
            ref={passwordField}
            label={t`Password`}
            autoComplete="current-password"
            value={password}
            error={problem?.field === 'password' && problem.message}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        </AccountForm>
      )}
      <OtherSignInMethods next={next} hasPasswords={hasPasswords} />
      {hasPasswords && (
        <p className={classes.other}>
          <Link href="/forgot-password">{t`Forgot password?`}</Link>
        </p>
      )}
      <p className={classes.next}>
        <Trans>
          New here? <Link href={registerPath}>Create an account</Link>
        </Trans>
      </p>
    </>
  );
}

/** The first step for the owner of a new community. */
function SetupNotice() {
  const { data: setup } = useQuery(setupStateQuery);
  if (setup === undefined || setup.completed || !setup.isEmpty) return null;
  return (
    <p className={classes.notice}>
      {t`This community is new. If you run it, open the set-up link that the server printed when it started.`}
    </p>
  );
}

function toProblem(error: Error): Problem {
  if (!(error instanceof ApiError) || error.status >= 500)
    return { field: null, message: translateError('wrong-credentials') };
  return { field: getField(error), message: error.message };
}

function getField(error: ApiError): Problem['field'] {
  if (error.kind === 'wrong-password') return 'password';
  if (error.kind === 'unknown-email' || error.messageForField('email') !== null) return 'email';
  return null;
}
