import { t } from '@lingui/core/macro';
import { ActionIcon, TextInput, VisuallyHidden, type TextInputProps } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';

/**
 * A password field with a button that shows the password. The button is named by its text, so that only the field has
 * the label 'Password'.
 */
export function PasswordField({ toggle = true, ...props }: TextInputProps & { toggle?: boolean }) {
  const [isVisible, setShown] = useState(false);
  return (
    <TextInput
      type={isVisible ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      rightSectionWidth={48}
      rightSection={
        toggle ? (
          <ActionIcon size={44} onClick={() => setShown(!isVisible)}>
            {isVisible ? (
              <IconEyeOff size={19} stroke={1.6} aria-hidden />
            ) : (
              <IconEye size={19} stroke={1.6} aria-hidden />
            )}
            <VisuallyHidden>{isVisible ? t`Hide password` : t`Show password`}</VisuallyHidden>
          </ActionIcon>
        ) : null
      }
      {...props}
    />
  );
}
