import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnProviderAccount } from '#shared/identity/sign-in-providers.ts';
import { toast } from '#web/core/toast.ts';
import { Time } from '#web/ui/Time.tsx';
import { linkProvider, providerAccountsQuery, unlinkProvider } from './sign-in-settings.ts';
import { getActionErrorMessage } from '#web/core/action-error.ts';
import { ConfirmPasswordDialog } from './ConfirmPasswordDialog.tsx';
import { SettingsSection } from './SettingsSection.tsx';
import classes from './account-settings.module.css';

/** The accounts at the identity providers, each in a section; renders nothing without a provider. */
export function ProviderAccounts() {
  const items = useQuery(providerAccountsQuery).data?.items ?? [];
  return items.map((account) => <ProviderAccount key={account.provider.id} account={account} />);
}

function ProviderAccount({ account }: { account: OwnProviderAccount }) {
  const { provider, since, isEnabled } = account;
  const { id, name } = provider;
  const [opened, setOpened] = useState(false);
  return (
    <SettingsSection title={t`Sign in with ${name}`}>
      <div className={classes.setting}>
        <output className={classes.note}>
          {since === null ? (
            t`No account is linked.`
          ) : (
            <Trans>
              Linked since <Time at={since} />.
            </Trans>
          )}
          {!isEnabled && ` ${t`Sign-in with it is switched off at the moment.`}`}
        </output>
        <Button variant="default" aria-label={getActionLabel(account)} onClick={() => setOpened(true)}>
          {since === null ? t`Link an account` : t`Unlink`}
        </Button>
        <ConfirmPasswordDialog<void>
          title={getActionLabel(account)}
          opened={opened}
          submitLabel={since === null ? t`Continue` : t`Unlink`}
          run={(password) => (since === null ? linkProvider(id, password) : unlinkProvider(id, password))}
          errorMessage={getActionErrorMessage}
          onDone={() => {
            if (since === null) return;
            setOpened(false);
            toast(t`Account unlinked`);
          }}
          onClose={() => setOpened(false)}
        />
      </div>
    </SettingsSection>
  );
}

/** Names the provider, of which there may be several on the page. */
const getActionLabel = ({ provider: { name }, since }: OwnProviderAccount) =>
  since === null ? t`Link an account: ${name}` : t`Unlink: ${name}`;
