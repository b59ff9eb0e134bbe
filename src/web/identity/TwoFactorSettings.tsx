import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { TwoFactorSetup } from '#shared/identity/two-factor.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { toast } from '#web/core/toast.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Time } from '#web/ui/Time.tsx';
import {
  regenerateRecoveryCodes,
  twoFactorQuery,
  startTwoFactorSetup,
  disableTwoFactor,
} from './sign-in-settings.ts';
import { getActionErrorMessage } from '#web/core/action-error.ts';
import { ConfirmPasswordDialog } from './ConfirmPasswordDialog.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import { SettingsSkeleton } from './SettingsSection.tsx';
import classes from './account-settings.module.css';

// Includes the code that draws QR codes.
const TwoFactorSetupForm = lazyComponent(async () => ({
  default: (await import('./TwoFactorSetupForm.tsx')).TwoFactorSetupForm,
}));

type OpenDialog = 'start' | 'renew' | 'off' | null;

/** Turns two-factor authentication on and off and creates recovery codes. */
export function TwoFactorSettings() {
  const query = useQuery(twoFactorQuery);
  const [opened, setOpened] = useState<OpenDialog>(null);
  const [setup, setSetup] = useState<TwoFactorSetup | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  if (query.isPending)
    return (
      <LoadingRegion label={t`Loading sign-in settings`} part>
        <SettingsSkeleton lines={['6rem']} />
      </LoadingRegion>
    );
  const { data } = query;
  if (data === undefined)
    return <LoadError text={t`Your sign-in settings could not be loaded.`} query={query} />;
  const codesLeft = plural(data.recoveryCodesLeft, {
    one: '# recovery code left.',
    other: '# recovery codes left.',
  });
  const close = () => setOpened(null);

  return (
    <div className={classes.setting}>
      <output className={classes.note}>
        {data.enabledAt === null ? (
          t`Two-factor authentication is off.`
        ) : (
          <Trans>
            On since <Time at={data.enabledAt} />. {codesLeft}
          </Trans>
        )}
      </output>
      <div className={classes.buttons}>
        {data.enabledAt === null ? (
          <Button variant="default" onClick={() => setOpened('start')}>
            {t`Set up two-factor authentication`}
          </Button>
        ) : (
          <>
            <Button variant="default" onClick={() => setOpened('renew')}>
              {t`New recovery codes`}
            </Button>
            <Button variant="default" onClick={() => setOpened('off')}>
              {t`Turn off two-factor authentication`}
            </Button>
          </>
        )}
      </div>
      <ConfirmPasswordDialog
        title={t`Set up two-factor authentication`}
        opened={opened === 'start'}
        followed
        submitLabel={t`Continue`}
        run={startTwoFactorSetup}
        errorMessage={getActionErrorMessage}
        onDone={(made) => {
          close();
          setSetup(made);
        }}
        onClose={close}
      />
      <ConfirmPasswordDialog
        title={t`New recovery codes`}
        opened={opened === 'renew'}
        followed
        submitLabel={t`Generate new codes`}
        text={t`Your current codes will stop working.`}
        run={regenerateRecoveryCodes}
        errorMessage={getActionErrorMessage}
        onDone={({ recoveryCodes }) => {
          close();
          setCodes(recoveryCodes);
        }}
        onClose={close}
      />
      <ConfirmPasswordDialog
        title={t`Turn off two-factor authentication`}
        opened={opened === 'off'}
        submitLabel={t`Turn off`}
        text={t`You will sign in with your password only.`}
        run={disableTwoFactor}
        errorMessage={getActionErrorMessage}
        onDone={() => {
          close();
          toast(t`Two-factor authentication is off.`);
        }}
        onClose={close}
      />
      <Dialog
        title={t`Set up two-factor authentication`}
        opened={setup !== null}
        followed
        onClose={() => setSetup(null)}
      >
        <Suspense>
          {setup !== null && (
            <TwoFactorSetupForm
              setup={setup}
              onDone={(made) => {
                setSetup(null);
                setCodes(made);
              }}
            />
          )}
        </Suspense>
      </Dialog>
      <Dialog
        title={t`Recovery codes`}
        opened={codes !== null}
        closeButton={false}
        // Only its button closes it, because the codes are not shown again.
        onClose={() => {}}
      >
        {codes !== null && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
      </Dialog>
    </div>
  );
}
