import { t } from '@lingui/core/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useEffect, useRef, useState } from 'react';
import { ApiError, translateError } from '#web/core/errors.ts';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { AccountForm } from './AccountForm.tsx';
import { useVerifyTwoFactorCode } from './sign-in.ts';
import classes from './sign-in.module.css';

/** Asks for the second factor after the password. */
export function TwoFactorForm({ onBack }: { onBack: () => void }) {
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const verifyCode = useVerifyTwoFactorCode();
  useEffect(() => field.current?.focus(), []);

  function fail(message: string) {
    setProblem(message);
    field.current?.focus();
  }

  function submit() {
    if (code.trim() === '') return fail(t`Please enter the code.`);
    setProblem(null);
    verifyCode.mutate(code, {
      onError: (error) =>
        fail(error instanceof ApiError ? error.message : translateError('wrong-credentials')),
    });
  }

  return (
    <>
      <PageHeading className={classes.heading}>{t`Two-factor authentication`}</PageHeading>
      <AccountForm submit={t`Sign in`} busy={verifyCode.isPending} error={null} onSubmit={submit}>
        <TextInput
          ref={field}
          label={t`Verification code`}
          description={t`Enter the 6-digit code from your authenticator app, or one of your recovery codes.`}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          value={code}
          error={problem}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      </AccountForm>
      <p className={classes.back}>
        <button type="button" onClick={onBack}>
          {t`Use another method`}
        </button>
      </p>
    </>
  );
}
