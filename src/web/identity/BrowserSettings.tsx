import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { setColorScheme, useColorSchemeChoice } from '#web/core/color-scheme.ts';
import fields from '#web/ui/fields.module.css';
import classes from './settings-form.module.css';
import { useInstallPrompt } from '#web/core/pwa.ts';
import { useSiteName } from '#web/core/session.ts';
import { SettingsSection } from './SettingsSection.tsx';
import { useSingleKeySetting } from '#web/core/keyboard-settings.ts';

const themeOptions = () =>
  [
    { scheme: 'auto', label: t`System default` },
    { scheme: 'light', label: t`Light` },
    { scheme: 'dark', label: t`Dark` },
  ] as const;

/** Takes effect immediately, also in other tabs; 'System default' deletes the stored choice (docs/product.md 16.1). */
export function ThemeSettings() {
  const choice = useColorSchemeChoice();
  return (
    <fieldset className={classes.choices} aria-label={t`Theme`}>
      {themeOptions().map(({ scheme, label }) => (
        <label key={scheme} className={classes.choice}>
          <input
            type="radio"
            className={fields.checkbox}
            name="theme"
            checked={choice === scheme}
            onChange={() => setColorScheme(scheme)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

/** Shown only if the browser can install the app. */
export function InstallApp() {
  const install = useInstallPrompt();
  const siteName = useSiteName();
  if (install === null) return null;
  return (
    <SettingsSection
      title={t`App`}
      text={t`Open ${siteName} in its own window, from your home screen or app list.`}
    >
      <div className={classes.form}>
        <Button variant="default" onClick={() => void install()}>
          {t`Install ${siteName}`}
        </Button>
      </div>
    </SettingsSection>
  );
}

/** Takes effect immediately, also in other tabs. */
export function KeyboardSettings() {
  const [isEnabled, set] = useSingleKeySetting();
  return (
    <label className={classes.choice}>
      <input
        type="checkbox"
        className={fields.checkbox}
        checked={isEnabled}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      {t`Single-key shortcuts, such as n to ask a question`}
    </label>
  );
}
