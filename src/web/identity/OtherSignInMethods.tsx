import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconFingerprint, IconLogin2 } from '@tabler/icons-react';
import { useState } from 'react';
import { useIsHydrating } from '#web/core/hydration.ts';
import { FormError } from '#web/ui/FormError.tsx';
import {
  canUsePasskeys,
  passkeyErrorMessage,
  useStartProviderSignIn,
  usePasskeyAutofill,
  usePasskeySignIn,
  signInMethodsQuery,
} from './sign-in.ts';
import classes from './sign-in.module.css';

/** Sign-in without a password, below the form of /login. No label contains 'Sign in', which names the form's button. */
export function OtherSignInMethods({ next }: { next: string | undefined }) {
  // The server does not know; most browsers can.
  const isHydrating = useIsHydrating();
  const [problem, setProblem] = useState<string | null>(null);
  usePasskeyAutofill(setProblem);
  const passkeySignIn = usePasskeySignIn();
  const startProviderSignIn = useStartProviderSignIn();
  const name = useQuery(signInMethodsQuery).data?.provider ?? null;

  return (
    <div className={classes.methods}>
      <FormError message={problem} />
      {(isHydrating || canUsePasskeys()) && (
        <Button
          variant="default"
          size="md"
          fullWidth
          leftSection={<IconFingerprint size={20} stroke={1.6} aria-hidden />}
          loading={passkeySignIn.isPending}
          onClick={() => {
            setProblem(null);
            passkeySignIn.mutate({}, { onError: (error) => setProblem(passkeyErrorMessage(error)) });
          }}
        >
          {t`Use a passkey`}
        </Button>
      )}
      {name !== null && (
        <Button
          variant="default"
          size="md"
          fullWidth
          leftSection={<IconLogin2 size={20} stroke={1.6} aria-hidden />}
          loading={startProviderSignIn.isPending}
          onClick={() => {
            setProblem(null);
            startProviderSignIn.mutate(next, { onError: (error) => setProblem(error.message) });
          }}
        >
          {t`Continue with ${name}`}
        </Button>
      )}
    </div>
  );
}
