import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnEmail } from '#shared/identity/account-recovery.ts';
import { toastError } from '#web/core/toast.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { emailQuery, useCancelEmailChange } from './settings.ts';
import { ChangeEmailDialog } from './ChangeEmailDialog.tsx';
import { SettingsSkeleton } from './SettingsSkeleton.tsx';
import classes from './account-settings.module.css';

/** The address one signs in with, and the one it is to become. */
export function EmailSettings() {
  const query = useQuery(emailQuery);
  const [opened, setOpened] = useState(false);
  const cancelChange = useCancelEmailChange();
  if (query.isPending)
    return (
      <LoadingRegion label={t`Loading your address`} part>
        <SettingsSkeleton lines={['14rem', '11rem']} />
      </LoadingRegion>
    );
  const { data } = query;
  if (data === undefined) return <LoadError text={t`Your address could not be loaded.`} query={query} />;
  return (
    <div className={classes.setting}>
      <p className={classes.email}>{data.email}</p>
      <output className={classes.note}>{emailStatusText(data)}</output>
      <div className={classes.buttons}>
        <Button variant="default" onClick={() => setOpened(true)}>
          {t`Change email`}
        </Button>
        {data.pendingEmail !== null && (
          <Button
            variant="default"
            loading={cancelChange.isPending}
            onClick={() =>
              cancelChange.mutate(undefined, {
                onError: () => toastError(t`That could not be saved. Please try again.`),
              })
            }
          >
            {t`Keep the present one`}
          </Button>
        )}
      </div>
      <ChangeEmailDialog
        opened={opened}
        isEmailEnabled={data.isEmailEnabled}
        onClose={() => setOpened(false)}
      />
    </div>
  );
}

function emailStatusText({ pendingEmail, isEmailEnabled, isConfirmed }: OwnEmail): string {
  if (pendingEmail !== null)
    return t`It becomes ${pendingEmail} when you open the link that we have sent there. The link works for a day.`;
  if (!isEmailEnabled) return t`You sign in with it.`;
  if (!isConfirmed) return t`It is not confirmed yet: please open the link that we have sent there.`;
  return t`You sign in with it. It is confirmed.`;
}
