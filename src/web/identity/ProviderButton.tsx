import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconLogin2 } from '@tabler/icons-react';
import { signInMethodsQuery, useStartProviderSignIn } from './sign-in.ts';

/** Continues at the identity provider, if there is one. `invitation`: the token, for a new member. */
export function ProviderButton({
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
  const name = useQuery(signInMethodsQuery).data?.provider ?? null;
  if (name === null) return null;
  return (
    <Button
      variant="default"
      size="md"
      fullWidth
      leftSection={<IconLogin2 size={20} stroke={1.6} aria-hidden />}
      loading={start.isPending}
      onClick={() => {
        onProblem(null);
        start.mutate({ next, invitation }, { onError: (error) => onProblem(error.message) });
      }}
    >
      {t`Continue with ${name}`}
    </Button>
  );
}
