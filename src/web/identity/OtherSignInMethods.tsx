import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { IconFingerprint } from '@tabler/icons-react';
import { useState } from 'react';
import { useIsHydrating } from '#web/core/hydration.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { useInvitationToken } from './InvitationNotice.tsx';
import { ProviderButtons } from './ProviderButtons.tsx';
import { canUsePasskeys, passkeyErrorMessage, usePasskeyAutofill, usePasskeySignIn } from './sign-in.ts';
import classes from './sign-in.module.css';

/**
 * Sign-in without a password, below the form of /login, if passwords are on. No label contains 'Sign in', which names
 * the form's button.
 */
export function OtherSignInMethods({
  next,
  hasPasswords,
}: {
  next: string | undefined;
  /** Whether there is a form above. */
  hasPasswords: boolean;
}) {
  // The server does not know. Until hydration, the style sheet hides the button.
  const isHydrating = useIsHydrating();
  // A new person can continue with a provider here too, after a change from /register.
  const invitation = useInvitationToken();
  const [problem, setProblem] = useState<string | null>(null);
  usePasskeyAutofill(setProblem, hasPasswords);
  const passkeySignIn = usePasskeySignIn();

  return (
    <div className={classes.methods}>
      <FormError message={problem} />
      {(isHydrating || canUsePasskeys()) && (
        <Button
          className={classes.passkey}
          variant="default"
          size="md"
          fullWidth
          leftSection={<IconFingerprint size={20} stroke={1.6} aria-hidden />}
          loading={passkeySignIn.isPending}
          onClick={() => {
            setProblem(null);
            passkeySignIn.mutate(undefined, { onError: (error) => setProblem(passkeyErrorMessage(error)) });
          }}
        >
          {t`Use a passkey`}
        </Button>
      )}
      <ProviderButtons next={next} invitation={invitation} onProblem={setProblem} />
    </div>
  );
}
