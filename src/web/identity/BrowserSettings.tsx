import { t } from '@lingui/core/macro';
import { Button, useMantineColorScheme } from '@mantine/core';
import check from '#web/ui/checkbox.module.css';
import classes from './settings-form.module.css';
import { useInstallPrompt } from '#web/core/pwa.ts';
import { SettingsSection } from './SettingsSection.tsx';
import { useSingleKeySetting } from '#web/core/keyboard-shortcuts.ts';

const themeOptions = () =>
  [
    { scheme: 'auto', label: t`Same as the system` },
    { scheme: 'light', label: t`Light` },
    { scheme: 'dark', label: t`Dark` },
  ] as const;

/** Takes effect at once, and in other tabs; 'Same as the system' forgets what was chosen (docs/product.md 16.1). */
export function ThemeSettings() {
  const { colorScheme, setColorScheme, clearColorScheme } = useMantineColorScheme();
  return (
    <fieldset className={classes.choices} aria-label={t`Theme`}>
      {themeOptions().map(({ scheme, label }) => (
        <label key={scheme} className={classes.choice}>
          <input
            type="radio"
            className={check.checkbox}
            name="theme"
            checked={colorScheme === scheme}
            onChange={() => (scheme === 'auto' ? clearColorScheme() : setColorScheme(scheme))}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

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

/** Takes effect at once, and in other tabs. */
export function KeyboardSettings() {
  const [isEnabled, set] = useSingleKeySetting();
  return (
    <label className={classes.choice}>
      <input
        type="checkbox"
        className={check.checkbox}
        checked={isEnabled}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      {t`Keys without Ctrl or ⌘ do something, such as n to ask a question`}
    </label>
  );
}
