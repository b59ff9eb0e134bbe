import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation } from '@tanstack/react-query';
import { IconKey } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { ApiToken } from '#shared/integrations/api-tokens.ts';
import { formatDate } from '#web/core/format.ts';
import { toast } from '#web/core/toast.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Time } from '#web/ui/Time.tsx';
import { getScopes } from './api-tokens.ts';
import { getActionErrorMessage } from '#web/core/action-error.ts';
import account from './account-settings.module.css';
import classes from './settings-list.module.css';

/** API tokens with their scopes, last use and end. Each can be revoked after a confirmation. */
export function ApiTokenList({
  tokens,
  revoke,
}: {
  tokens: readonly ApiToken[];
  revoke: (id: number) => Promise<void>;
}) {
  const [revoking, setRevoking] = useState<ApiToken | null>(null);
  return (
    <>
      {tokens.length > 0 && (
        <ul className={classes.list}>
          {tokens.map((token) => (
            <TokenItem key={token.id} token={token} onRevoke={() => setRevoking(token)} />
          ))}
        </ul>
      )}
      <Dialog title={t`Revoke token`} opened={revoking !== null} onClose={() => setRevoking(null)}>
        {revoking !== null && (
          <RevokeToken token={revoking} revoke={revoke} onClose={() => setRevoking(null)} />
        )}
      </Dialog>
    </>
  );
}

function TokenItem({ token, onRevoke }: { token: ApiToken; onRevoke: () => void }) {
  const nameId = useId();
  const scopes = getScopes().filter(({ scope }) => token.scopes.includes(scope));
  return (
    <li className={classes.item}>
      <IconKey size={24} stroke={1.5} aria-hidden />
      <div id={nameId} className={classes.about}>
        <div>
          <bdi>{token.name}</bdi>
        </div>
        <div className={classes.since}>{scopes.map(({ label }) => label).join(' · ')}</div>
        <div className={classes.since}>
          {token.lastUsedAt === null ? (
            <Trans>Not used yet, expires on {formatDate(token.expiresAt)}</Trans>
          ) : (
            <Trans>
              Last used <Time at={token.lastUsedAt} />, expires on {formatDate(token.expiresAt)}
            </Trans>
          )}
        </div>
      </div>
      <Button variant="default" size="compact-md" aria-describedby={nameId} onClick={onRevoke}>
        {t`Revoke`}
      </Button>
    </li>
  );
}

function RevokeToken({
  token,
  revoke: revokeToken,
  onClose,
}: {
  token: ApiToken;
  revoke: (id: number) => Promise<void>;
  onClose: () => void;
}) {
  const revoke = useMutation({
    mutationFn: () => revokeToken(token.id),
    onSuccess: () => {
      toast(t`Token revoked`);
      onClose();
    },
  });
  return (
    <div className={account.form}>
      <p>
        <Trans>
          Programs that use “<bdi>{token.name}</bdi>” lose access at once.
        </Trans>
      </p>
      <FormError message={revoke.error === null ? null : getActionErrorMessage(revoke.error)} />
      <div className={account.dialogButtons}>
        <Button variant="default" data-autofocus onClick={onClose}>
          {t`Cancel`}
        </Button>
        <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
          {t`Revoke`}
        </Button>
      </div>
    </div>
  );
}
