import { t } from '@lingui/core/macro';
import { ApiTokenSettings } from './ApiTokenSettings.tsx';
import { EmailSettings } from './EmailSettings.tsx';
import { DeleteAccount } from './DeleteAccount.tsx';
import { PasskeySettings } from './PasskeySettings.tsx';
import { ChangePasswordForm } from './ChangePasswordForm.tsx';
import { EmailPasswordLink } from './EmailPasswordLink.tsx';
import { ProviderAccounts } from './ProviderAccounts.tsx';
import { TwoFactorSettings } from './TwoFactorSettings.tsx';
import { SettingsSection } from './SettingsSection.tsx';
import { ActiveSessions } from './ActiveSessions.tsx';
import { Button } from '#web/ui/Button.tsx';
import { useQuery } from '@tanstack/react-query';
import { useHasPassword } from './settings.ts';
import { signInMethodsQuery } from './sign-in.ts';
import classes from './account-settings.module.css';

/** The settings tab for sign-in methods and the account. */
export function AccountSettings() {
  const { passwordSignIn: hasPasswords = true } = useQuery(signInMethodsQuery).data ?? {};
  const hasPassword = useHasPassword();
  return (
    <>
      <SettingsSection title={t`Email`}>
        <EmailSettings />
      </SettingsSection>
      {hasPasswords && (
        <SettingsSection
          id="security"
          title={t`Password`}
          text={
            hasPassword === false
              ? t`Your account has no password.`
              : t`Changing your password signs you out on all other devices.`
          }
        >
          {/* Nothing below it moves when it is known. */}
          {hasPassword !== false && <ChangePasswordForm isHidden={hasPassword === undefined} />}
          <div className={classes.setting}>
            <EmailPasswordLink />
          </div>
        </SettingsSection>
      )}
      <SettingsSection
        {...(!hasPasswords && { id: 'security' })}
        title={t`Two-factor authentication`}
        text={t`Require a code from an authenticator app in addition to your password.`}
      >
        <TwoFactorSettings />
      </SettingsSection>
      <SettingsSection
        id="passkeys"
        title={t`Passkeys`}
        text={t`Sign in with your fingerprint, face or device PIN instead of a password and a code.`}
      >
        <PasskeySettings />
      </SettingsSection>
      <ProviderAccounts />
      <ApiTokenSettings />
      <SettingsSection title={t`Active sessions`}>
        <ActiveSessions />
      </SettingsSection>
      <SettingsSection
        title={t`Your data`}
        text={t`All your data as JSON and Markdown: posts with all versions, votes, follows, bookmarks, drafts, settings and more.`}
      >
        <DataExport />
      </SettingsSection>
      <SettingsSection title={t`Delete account`} text={t`Permanently delete your account.`}>
        <DeleteAccount />
      </SettingsSection>
    </>
  );
}

/** A plain link, so that the browser shows the progress of the download. */
export function DataExport() {
  return (
    <div className={classes.setting}>
      <Button
        variant="default"
        renderRoot={({ children, ...props }) => (
          <a {...props} href="/api/data-export" download>
            {children}
          </a>
        )}
      >
        {t`Download my data`}
      </Button>
    </div>
  );
}
