import { t } from '@lingui/core/macro';
import { getPasswordStrength } from '#shared/core/limits.ts';
import classes from './PasswordStrength.module.css';

const levels = { Weak: 1, Medium: 2, Strong: 3 } as const;
const words = { Weak: () => t`Weak`, Medium: () => t`Medium`, Strong: () => t`Strong` };

/** Weak, Medium or Strong (docs/product.md 2.3), as a bar and a word. */
export function PasswordStrength({ password }: { password: string }) {
  const strength = password === '' ? null : getPasswordStrength(password);
  const word = strength === null ? null : words[strength]();
  return (
    <div className={classes.strength} data-strength={strength ?? undefined}>
      <meter
        className={classes.meter}
        aria-label={t`Password strength`}
        aria-valuetext={word ?? t`No password yet`}
        min={0}
        max={3}
        value={strength === null ? 0 : levels[strength]}
      />
      <span className={classes.word}>{word}</span>
    </div>
  );
}
