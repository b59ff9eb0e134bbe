import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery } from '@tanstack/react-query';
import { IconLogin2 } from '@tabler/icons-react';
import { signInMethodsQuery, useStartProviderSignIn } from './sign-in.ts';

/** Continues at one of the identity providers. `invitation`: the token, for a new member. */
export function ProviderButtons({
  next,
  invitation,
  onProblem,
}: {
  next: string | undefined;
  invitation?: string | undefined;
  /** Called with null at the start. */
  onProblem: (message: string | null) => void;
}) {
  const start = useStartProviderSignIn();
  const providers = useQuery(signInMethodsQuery).data?.providers ?? [];
  return providers.map(({ id, name }) => (
    <Button
      key={id}
      variant="default"
      size="md"
      fullWidth
      leftSection={<IconLogin2 size={20} stroke={1.6} aria-hidden />}
      loading={start.isPending && start.variables.provider === id}
      onClick={() => {
        onProblem(null);
        start.mutate({ provider: id, next, invitation }, { onError: (error) => onProblem(error.message) });
      }}
    >
      {t`Continue with ${name}`}
    </Button>
  ));
}
