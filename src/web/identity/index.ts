// The public file of this area: other areas import from here only.
export { AccountForm } from './AccountForm.tsx';
export { CreateApiToken } from './ApiTokenForm.tsx';
export { ApiTokenList } from './ApiTokenList.tsx';
export { OwnPasswordField } from './OwnPasswordField.tsx';
export { useHasPassword } from './settings.ts';
export { PasswordField, PasswordStrength } from './PasswordField.tsx';
export { completeSignIn, setupStateQuery } from './sign-in.ts';
export { ConfirmPasswordDialog } from './ConfirmPasswordDialog.tsx';
export { formatBrowserName } from './browser-name.ts';
export { parseMemberId } from './profiles.ts';
