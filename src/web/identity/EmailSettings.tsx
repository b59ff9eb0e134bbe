import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { languageNames } from '#shared/core/languages.ts';
import type { OwnEmail } from '#shared/identity/account-recovery.ts';
import { toastError } from '#web/core/toast.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { Time } from '#web/ui/Time.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { emailQuery, useCancelEmailChange, useSwitchEmailsOn } from './settings.ts';
import { ChangeEmailDialog } from './ChangeEmailDialog.tsx';
import { SettingsSkeleton } from './SettingsSection.tsx';
import classes from './account-settings.module.css';

/** The email address for signing in, and the new one that waits for confirmation. */
export function EmailSettings() {
  const query = useQuery(emailQuery);
  const [opened, setOpened] = useState(false);
  const cancelChange = useCancelEmailChange();
  if (query.isPending)
    return (
      <LoadingRegion label={t`Loading your email address`} part>
        <SettingsSkeleton lines={['14rem', '11rem']} />
      </LoadingRegion>
    );
  const { data } = query;
  if (data === undefined)
    return <LoadError text={t`Your email address could not be loaded.`} query={query} />;
  return (
    <div className={classes.setting}>
      <p className={classes.email}>{data.email}</p>
      <output className={classes.note}>{emailStatusText(data)}</output>
      {data.emailsOff !== null && <EmailsOff {...data.emailsOff} />}
      {data.isEmailEnabled && data.language !== null && (
        <p
          className={classes.note}
        >{t`Emails to you are in this language: ${languageNames[data.language]}.`}</p>
      )}
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
                onError: () => toastError(t`Could not save. Please try again.`),
              })
            }
          >
            {t`Keep current address`}
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

function EmailsOff({ since, reason }: NonNullable<OwnEmail['emailsOff']>) {
  const switchOn = useSwitchEmailsOn();
  return (
    <section className={classes.off} aria-label={t`Emails are off`}>
      <p>
        <Trans>
          Emails to this address are off since <Time at={since} />, because they came back. Change the
          address, or send emails again if the problem is solved.
        </Trans>
      </p>
      <p className={classes.note}>
        {t`The mail server said:`} <bdi>{reason}</bdi>
      </p>
      <div>
        <Button variant="default" loading={switchOn.isPending} onClick={() => switchOn.mutate()}>
          {t`Send emails again`}
        </Button>
      </div>
    </section>
  );
}

function emailStatusText({ pendingEmail, isEmailEnabled, isConfirmed }: OwnEmail): string {
  if (pendingEmail !== null)
    return t`It changes to ${pendingEmail} when you open the link we sent to that address. The link expires after one day.`;
  if (!isEmailEnabled) return t`Used to sign in.`;
  if (!isConfirmed) return t`Not confirmed yet. Please open the link we sent to this address.`;
  return t`Used to sign in. Confirmed.`;
}
