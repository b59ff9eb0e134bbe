import { passwordStrength } from '#shared/limits.ts';
import classes from './PasswordStrength.module.css';

const levels = { Weak: 1, Medium: 2, Strong: 3 } as const;

/** Weak, Medium or Strong (SPEC section 5), as a bar and a word. */
export function PasswordStrength({ password }: { password: string }) {
  const strength = password === '' ? null : passwordStrength(password);
  return (
    <div className={classes.strength} data-strength={strength ?? undefined}>
      <meter
        className={classes.meter}
        aria-label="Password strength"
        aria-valuetext={strength ?? 'No password yet'}
        min={0}
        max={3}
        value={strength === null ? 0 : levels[strength]}
      />
      <span className={classes.word}>{strength}</span>
    </div>
  );
}
