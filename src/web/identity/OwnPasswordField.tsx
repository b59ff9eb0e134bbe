import { t } from '@lingui/core/macro';
import type { ComponentProps } from 'react';
import { PasswordField } from './PasswordField.tsx';
import { useHasPassword } from './settings.ts';

type Props = Omit<ComponentProps<typeof PasswordField>, 'label' | 'autoComplete'> & {
  /** Whether the account has a password. Default: what the server says of the member. */
  hasPassword?: boolean | undefined;
};

/**
 * The password that confirms an action of the member. Shows nothing to members without one, who must have signed in
 * recently instead, nor while it is unknown whether there is one.
 */
export function OwnPasswordField({ hasPassword, ...props }: Props) {
  if (!useHasPassword(hasPassword)) return null;
  return <PasswordField label={t`Your password`} autoComplete="current-password" {...props} />;
}
