import { t } from '@lingui/core/macro';
import { useSingleKeys } from '#web/platform/single-keys.ts';
import check from '#web/ui/check.module.css';
import classes from './forms.module.css';

/** Takes effect at once, and in other tabs. */
export function KeyboardChoice() {
  const [wanted, set] = useSingleKeys();
  return (
    <label className={classes.choice}>
      <input
        type="checkbox"
        className={check.check}
        checked={wanted}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      {t`Keys without Ctrl or ⌘ do something, such as n to ask a question`}
    </label>
  );
}
