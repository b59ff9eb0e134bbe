import { t } from '@lingui/core/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useParam } from '#web/core/router.ts';
import { Link } from '#web/ui/Link.tsx';
import { useEffect, useRef, useState } from 'react';
import type { ProviderSignInResult } from '#shared/identity/sign-in-providers.ts';
import { AccountForm } from './AccountForm.tsx';
import { useRegisterWithProvider } from './applications.ts';
import { PasswordField } from './PasswordField.tsx';
import { SignUpQuestionFields, useSignUpAnswers } from './SignUpQuestionFields.tsx';
import { TwoFactorForm } from './TwoFactorForm.tsx';
import { signInMethodsQuery, useLinkProvider, useFinishProviderSignIn } from './sign-in.ts';
import { ApiError } from '#web/core/errors.ts';
import { VisitorFrame } from '#web/ui/VisitorFrame.tsx';
import { parseInternalPath, paths } from '#web/core/paths.ts';
import { useCachedSession, useMember } from '#web/core/session.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import classes from './auth-pages.module.css';

/** Where an identity provider redirects to. The parameters are valid once. */
export function SignInCallbackPage() {
  const provider = useParam('provider');
  usePageTitle(t`Sign in`);
  const router = useRouter();
  const back = useFinishProviderSignIn();
  const { mutate, data, error } = back;
  const [step, setStep] = useState<ProviderSignInResult['needs']>();
  const sent = useRef(false);
  const signedIn = useMember() !== null;
  const isApplicant = useCachedSession()?.account !== undefined;

  useEffect(() => {
    if (sent.current) return;
    sent.current = true;
    const { search: query } = window.location;
    // The code must not stay in the browser history.
    router.replaceAddress({ search: '' });
    mutate({ query, provider }, { onSuccess: ({ needs }) => setStep(needs) });
  }, [mutate, provider, router]);

  useEffect(() => {
    if (isApplicant) return void router.navigate(paths.application, { replace: true });
    if (data === undefined || !signedIn) return;
    void router.navigate(
      data.linked
        ? `${paths.accountSettings}#security`
        : (parseInternalPath(data.next ?? undefined) ?? paths.home),
      { replace: true },
    );
  }, [data, signedIn, isApplicant, router]);

  const toLogin = () => void router.navigate(paths.login, { replace: true });
  return (
    <VisitorFrame>
      {step === 'two-factor' && <TwoFactorForm onBack={toLogin} />}
      {step === 'password' && (
        <LinkForm email={data?.email ?? ''} onTwoFactor={() => setStep('two-factor')} />
      )}
      {step === 'sign-up-answers' && <SignUpForm />}
      {step === undefined && (
        <>
          <PageHeading className={classes.heading}>{signedIn ? t`Link an account` : t`Sign in`}</PageHeading>
          {error === null ? (
            <p className={classes.lead}>
              <output>{t`One moment …`}</output>
            </p>
          ) : (
            <div className={classes.actions}>
              <FormError message={error.message} />
            </div>
          )}
          <p className={classes.other}>
            {signedIn ? (
              <Link href={paths.accountSettings}>{t`Settings`}</Link>
            ) : (
              <Link href={paths.login}>{t`Sign in another way`}</Link>
            )}
          </p>
        </>
      )}
    </VisitorFrame>
  );
}

/** Asks the questions of the community before the account is created. */
function SignUpForm() {
  const client = useQueryClient();
  const { signUpQuestions: questions = [] } = useQuery(signInMethodsQuery).data ?? {};
  const form = useSignUpAnswers('provider-registration', questions);
  const register = useRegisterWithProvider();
  const [problem, setProblem] = useState<string | null>(null);

  function submit() {
    setProblem(null);
    if (!form.check()) return;
    register.mutate(form.answers, {
      onError: (error) => {
        if (form.showErrors(error)) return;
        setProblem(error.message);
        if (error instanceof ApiError && error.code === 'sign-up-questions-changed')
          void client.invalidateQueries({ queryKey: signInMethodsQuery.queryKey });
      },
    });
  }

  return (
    <>
      <PageHeading className={classes.heading}>{t`Create an account`}</PageHeading>
      <AccountForm submit={t`Create account`} busy={register.isPending} error={problem} onSubmit={submit}>
        <SignUpQuestionFields questions={questions} form={form} />
      </AccountForm>
    </>
  );
}

/**
 * Asks for the password of the member with this email address, so that no one takes over an account by claiming an
 * address.
 */
function LinkForm({ email, onTwoFactor }: { email: string; onTwoFactor: () => void }) {
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const link = useLinkProvider();

  function fail(message: string) {
    setProblem(message);
    field.current?.focus();
  }

  function submit() {
    if (password === '') return fail(t`Please enter your password.`);
    setProblem(null);
    link.mutate(password, {
      onSuccess: ({ needs }) => {
        if (needs === 'two-factor') onTwoFactor();
      },
      onError: (error) => fail(error.message),
    });
  }

  return (
    <>
      <PageHeading className={classes.heading}>{t`Is this you?`}</PageHeading>
      <p className={classes.lead}>
        {t`An account with the address ${email} already exists. Enter its password once to link the two.`}
      </p>
      <AccountForm submit={t`Link and sign in`} busy={link.isPending} error={null} onSubmit={submit}>
        <PasswordField
          ref={field}
          label={t`Password`}
          autoComplete="current-password"
          value={password}
          error={problem}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      </AccountForm>
    </>
  );
}
