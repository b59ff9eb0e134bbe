import { t } from '@lingui/core/macro';
import { IconButton } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import type { TextInputProps } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import { getPasswordStrength } from '#shared/core/limits.ts';
import classes from './PasswordField.module.css';

/**
 * A password field with a button that shows the password. The button is named by its text, so that only the field has
 * the label 'Password'.
 */
export function PasswordField({ toggle = true, ...props }: TextInputProps & { toggle?: boolean }) {
  const [isVisible, setIsVisible] = useState(false);
  return (
    <TextInput
      type={isVisible ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      rightSectionWidth={48}
      rightSection={
        toggle ? (
          <IconButton size={44} onClick={() => setIsVisible(!isVisible)}>
            {isVisible ? (
              <IconEyeOff size={19} stroke={1.6} aria-hidden />
            ) : (
              <IconEye size={19} stroke={1.6} aria-hidden />
            )}
            <VisuallyHidden>{isVisible ? t`Hide password` : t`Show password`}</VisuallyHidden>
          </IconButton>
        ) : null
      }
      {...props}
    />
  );
}

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
