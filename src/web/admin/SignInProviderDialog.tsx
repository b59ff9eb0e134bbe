import { plural, t } from '@lingui/core/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SignInProvider } from '#shared/admin/sign-in-providers.ts';
import { toast } from '#web/core/toast.ts';
import { ConfirmDialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { deleteProvider, providerMembersQuery, setProviderEnabled } from './sign-in-providers.ts';
import classes from './admin.module.css';

export type ProviderLoss = { provider: SignInProvider; how: 'disable' | 'delete' };

/** Says who can no longer sign in, before a provider is switched off or deleted. */
export function SignInProviderDialog({ loss, onClose }: { loss: ProviderLoss; onClose: () => void }) {
  const { provider, how } = loss;
  const { id, name } = provider;
  const client = useQueryClient();
  const query = useQuery(providerMembersQuery(id));
  const lose = useMutation({
    mutationFn: () => (how === 'delete' ? deleteProvider(client, id) : setProviderEnabled(client, id, false)),
    onSuccess: () => {
      toast(t`Saved to the moderation log`);
      onClose();
    },
  });
  const isDeletion = how === 'delete';
  return (
    <ConfirmDialog
      title={isDeletion ? t`Delete sign-in provider: ${name}` : t`Switch off sign-in provider: ${name}`}
      opened
      text={
        isDeletion
          ? t`Nobody can sign in with it any longer, and its client secret is deleted. Sessions continue. If you add a provider with the same issuer, it has the linked accounts again.`
          : t`Nobody can sign in with it until you switch it on again. Sessions continue.`
      }
      label={isDeletion ? t`Delete` : t`Switch off`}
      busy={lose.isPending}
      disabled={query.data === undefined}
      onConfirm={() => lose.mutate()}
      onCancel={onClose}
    >
      {query.isError && query.data === undefined ? (
        <LoadError text={t`The members could not be counted.`} query={query} />
      ) : (
        <p className={classes.intro}>
          <output>{query.data === undefined ? t`Counting members …` : describeMembers(query.data)}</output>
        </p>
      )}
      <FormError message={lose.error?.message ?? null} />
    </ConfirmDialog>
  );
}

function describeMembers({ linked, withoutOther }: { linked: number; withoutOther: number }): string {
  const all = plural(linked, {
    one: '# member has linked an account.',
    other: '# members have linked an account.',
  });
  if (withoutOther === 0) return all;
  const stranded = plural(withoutOther, {
    one: '# of them has no other way to sign in.',
    other: '# of them have no other way to sign in.',
  });
  return `${all} ${stranded}`;
}
