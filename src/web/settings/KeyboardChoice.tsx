import { t } from '@lingui/core/macro';
import { useSingleKeySetting } from '#web/platform/single-keys.ts';
import check from '#web/ui/check.module.css';
import classes from './forms.module.css';

/** Takes effect at once, and in other tabs. */
export function KeyboardSettings() {
  const [isEnabled, set] = useSingleKeySetting();
  return (
    <label className={classes.choice}>
      <input
        type="checkbox"
        className={check.check}
        checked={isEnabled}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      {t`Keys without Ctrl or ⌘ do something, such as n to ask a question`}
    </label>
  );
}
