import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from '#web/core/toast.ts';
import { Time } from '#web/ui/Time.tsx';
import {
  linkProvider,
  providerAccountQuery,
  getActionErrorMessage,
  unlinkProvider,
} from './sign-in-settings.ts';
import { ConfirmPasswordDialog } from './ConfirmPasswordDialog.tsx';
import { SettingsSection } from './SettingsSection.tsx';
import classes from './account-settings.module.css';

/** The linked account at the identity provider; renders nothing without a provider. */
export function ProviderAccount() {
  const { data } = useQuery(providerAccountQuery);
  const [opened, setOpened] = useState(false);
  if (data === undefined || data.provider === null) return null;
  const { provider: name, since } = data;
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
        </output>
        <Button variant="default" onClick={() => setOpened(true)}>
          {since === null ? t`Link an account` : t`Unlink`}
        </Button>
        <ConfirmPasswordDialog<void>
          title={since === null ? t`Link an account` : t`Unlink`}
          opened={opened}
          submitLabel={since === null ? t`Continue` : t`Unlink`}
          run={since === null ? linkProvider : unlinkProvider}
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
