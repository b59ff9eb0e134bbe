import { t } from '@lingui/core/macro';
import { Link, useParams, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { ProviderSignInResult } from '#shared/identity/sign-in-providers.ts';
import { AccountForm } from './AccountForm.tsx';
import { PasswordField } from './PasswordField.tsx';
import { TwoFactorForm } from './TwoFactorForm.tsx';
import { useLinkProvider, useFinishProviderSignIn } from './sign-in.ts';
import { VisitorFrame } from '#web/ui/VisitorFrame.tsx';
import { parseInternalPath, paths } from '#web/core/paths.ts';
import { useMember } from '#web/core/session.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import classes from './auth-pages.module.css';

/** Where an identity provider redirects to. The parameters are valid once. */
export function SignInCallbackPage() {
  const { provider } = useParams({ strict: false });
  usePageTitle(t`Sign in`);
  const router = useRouter();
  const back = useFinishProviderSignIn();
  const { mutate, data, error } = back;
  const [step, setStep] = useState<ProviderSignInResult['needs']>();
  const sent = useRef(false);
  const signedIn = useMember() !== null;

  useEffect(() => {
    if (sent.current) return;
    sent.current = true;
    const { search: query, pathname } = window.location;
    // The code must not stay in the browser history.
    window.history.replaceState(window.history.state, '', pathname);
    mutate({ query, provider }, { onSuccess: ({ needs }) => setStep(needs) });
  }, [mutate, provider]);

  useEffect(() => {
    if (data === undefined || !signedIn) return;
    router.history.replace(
      data.linked
        ? `${paths.accountSettings}#security`
        : (parseInternalPath(data.next ?? undefined) ?? paths.home),
    );
  }, [data, signedIn, router]);

  const toLogin = () => void router.navigate({ to: '/login', replace: true });
  return (
    <VisitorFrame>
      {step === 'two-factor' && <TwoFactorForm onBack={toLogin} />}
      {step === 'password' && (
        <LinkForm email={data?.email ?? ''} onTwoFactor={() => setStep('two-factor')} />
      )}
      {step === undefined && (
        <>
          <PageHeading className={classes.heading}>{t`Sign in`}</PageHeading>
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
            <Link to="/login">{t`Sign in another way`}</Link>
          </p>
        </>
      )}
    </VisitorFrame>
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
