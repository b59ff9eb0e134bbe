import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/ui/Link.tsx';
import { useState } from 'react';
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
import { type Problem, useFields } from '#web/ui/useFields.ts';
import WelcomeText from '#web/ui/WelcomeText.tsx';
import classes from './auth-pages.module.css';
import { paths } from '#web/core/paths.ts';

type Field = 'email' | 'password';

export function LoginPage() {
  usePageTitle(t`Sign in`);
  const next = useNextPage();
  const registerPath = useVisitorPath(paths.register);
  const forgotPasswordPath = useVisitorPath(paths.forgotPassword);
  const sessionEnded = useSessionEnded();
  const { texts, setTexts, field, focusField, showProblem, formError } = useFields(
    useState({ email: '', password: '' }),
  );
  const { passwordSignIn: hasPasswords = true } = useQuery(signInMethodsQuery).data ?? {};
  const [needsTwoFactor, setNeedsTwoFactor] = useState(false);
  const signIn = useSignIn();

  function submit() {
    if (!emailAddress.safeParse(texts.email).success)
      return showProblem({ field: 'email', message: translateError('email-not-valid') });
    if (texts.password === '')
      return showProblem({ field: 'password', message: t`Please enter your password.` });
    showProblem(null);
    signIn.mutate(texts, {
      onSuccess: ({ needs }) => setNeedsTwoFactor(needs === 'two-factor'),
      onError: (error) => {
        const problem = toProblem(error);
        showProblem(problem);
        if (problem.field === null) focusField('password');
      },
    });
  }

  if (needsTwoFactor)
    return (
      <TwoFactorForm
        onBack={() => {
          setTexts({ ...texts, password: '' });
          setNeedsTwoFactor(false);
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
        <AccountForm submit={t`Sign in`} busy={signIn.isPending} error={formError} onSubmit={submit}>
          <TextInput label={t`Email`} type="email" autoComplete="username webauthn" {...field('email')} />
          <PasswordField label={t`Password`} autoComplete="current-password" {...field('password')} />
        </AccountForm>
      )}
      <OtherSignInMethods next={next} hasPasswords={hasPasswords} />
      {hasPasswords && (
        <p className={classes.other}>
          <Link href={forgotPasswordPath} replace>{t`Forgot password?`}</Link>
        </p>
      )}
      <p className={classes.next}>
        <Trans>
          New here?{' '}
          <Link href={registerPath} replace>
            Create an account
          </Link>
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

function toProblem(error: Error): Problem<Field> {
  if (!(error instanceof ApiError) || error.status >= 500)
    return { field: null, message: translateError('wrong-credentials') };
  return { field: getField(error), message: error.message };
}

function getField(error: ApiError): Field | null {
  if (error.kind === 'wrong-password') return 'password';
  if (error.kind === 'unknown-email' || error.messageForField('email') !== null) return 'email';
  return null;
}
