import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useInstallPrompt } from '#web/platform/install.ts';
import { SettingsSection } from './Section.tsx';
import classes from './forms.module.css';

/** Shows where the browser offers it only. */
export function InstallApp() {
  const install = useInstallPrompt();
  if (install === null) return null;
  return (
    <SettingsSection
      title={t`App`}
      text={t`Parley opens in a window of its own, from your home screen or your list of apps.`}
    >
      <div className={classes.form}>
        <Button variant="default" onClick={() => void install()}>
          {t`Install Parley`}
        </Button>
      </div>
    </SettingsSection>
  );
}
