import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery } from '@tanstack/react-query';
import { IconKey } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { ApiToken } from '#shared/integrations/api-tokens.ts';
import { formatDate } from '#web/core/format.ts';
import { toast } from '#web/core/toast.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Time } from '#web/ui/Time.tsx';
import { CreateApiToken } from './ApiTokenForm.tsx';
import { apiTokensQuery, getScopes, useRevokeApiToken } from './api-tokens.ts';
import { getActionErrorMessage } from './sign-in-settings.ts';
import { SettingsSection, SettingsSkeleton } from './SettingsSection.tsx';
import account from './account-settings.module.css';
import classes from './settings-list.module.css';

/** The member's API tokens. They can be created and revoked. Hidden where the community has switched them off. */
export function ApiTokenSettings() {
  const query = useQuery(apiTokensQuery);
  const { data } = query;
  if (data?.enabled === false && data.items.length === 0) return null;
  return (
    <SettingsSection
      title={t`API tokens`}
      text={t`Tokens let programs use the site in your name. Give each program its own.`}
    >
      {query.isPending ? (
        <LoadingRegion label={t`Loading your API tokens`} part>
          <SettingsSkeleton lines={[]} />
        </LoadingRegion>
      ) : data === undefined ? (
        <LoadError text={t`Your API tokens could not be loaded.`} query={query} />
      ) : (
        <TokenList tokens={data.items} isEnabled={data.enabled} />
      )}
    </SettingsSection>
  );
}

function TokenList({ tokens, isEnabled }: { tokens: readonly ApiToken[]; isEnabled: boolean }) {
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiToken | null>(null);
  return (
    <div className={account.setting}>
      {tokens.length > 0 && (
        <ul className={classes.list}>
          {tokens.map((token) => (
            <TokenItem key={token.id} token={token} onRevoke={() => setRevoking(token)} />
          ))}
        </ul>
      )}
      {isEnabled ? (
        <div className={account.buttons}>
          <Button variant="default" onClick={() => setCreating(true)}>
            {t`Create a token`}
          </Button>
          <Button
            variant="subtle"
            renderRoot={({ children, ...props }) => (
              <a {...props} href="/api/docs" target="_blank" rel="noopener">
                {children}
              </a>
            )}
          >
            {t`API reference`}
          </Button>
        </div>
      ) : (
        <p className={account.note}>{t`API tokens are switched off in this community.`}</p>
      )}
      <CreateApiToken opened={creating} onClose={() => setCreating(false)} />
      <Dialog title={t`Revoke token`} opened={revoking !== null} onClose={() => setRevoking(null)}>
        {revoking !== null && <RevokeToken token={revoking} onClose={() => setRevoking(null)} />}
      </Dialog>
    </div>
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

function RevokeToken({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  const revoke = useRevokeApiToken();
  const submit = () =>
    revoke.mutate(token.id, {
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
        <Button color="red" loading={revoke.isPending} onClick={submit}>
          {t`Revoke`}
        </Button>
      </div>
    </div>
  );
}
