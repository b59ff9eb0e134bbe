import { t } from '@lingui/core/macro';
import { useMantineColorScheme } from '@mantine/core';
import check from '#web/ui/check.module.css';
import classes from './forms.module.css';

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
            className={check.check}
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
