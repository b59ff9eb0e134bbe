import { t } from '@lingui/core/macro';
import { EmailSettings } from './EmailSettings.tsx';
import { DeleteAccount } from './DeleteAccount.tsx';
import { PasskeySettings } from './PasskeySettings.tsx';
import { ChangePasswordForm } from './ChangePasswordForm.tsx';
import { ProviderAccount } from './ProviderAccount.tsx';
import { TwoFactorSettings } from './TwoFactorSettings.tsx';
import { SettingsSection } from './SettingsSection.tsx';
import { ActiveSessions } from './ActiveSessions.tsx';
import { Button } from '@mantine/core';
import classes from './account-settings.module.css';

/** The tab of the settings about signing in, and about the account as a whole. */
export function AccountSettings() {
  return (
    <>
      <SettingsSection title={t`Email`}>
        <EmailSettings />
      </SettingsSection>
      <SettingsSection id="security" title={t`Password`} text={t`Changing it signs you out everywhere else.`}>
        <ChangePasswordForm />
      </SettingsSection>
      <SettingsSection
        title={t`Two-factor sign-in`}
        text={t`A code of an app on your phone is asked for as well as the password.`}
      >
        <TwoFactorSettings />
      </SettingsSection>
      <SettingsSection
        title={t`Passkeys`}
        text={t`Sign in with a finger, your face or the PIN of your device, without a password or a code.`}
      >
        <PasskeySettings />
      </SettingsSection>
      <ProviderAccount />
      <SettingsSection title={t`Where you are signed in`}>
        <ActiveSessions />
      </SettingsSection>
      <SettingsSection
        title={t`Your data`}
        text={t`Everything that is yours, as JSON for programs and as Markdown to read: what you wrote with all versions, votes, follows, bookmarks, drafts, settings and more.`}
      >
        <DataExport />
      </SettingsSection>
      <SettingsSection title={t`Leaving`} text={t`Your account is deleted for good.`}>
        <DeleteAccount />
      </SettingsSection>
    </>
  );
}

/** A link as any other: the browser shows how far the download is. */
export function DataExport() {
  return (
    <div className={classes.setting}>
      <Button
        variant="default"
        renderRoot={({ children, ...props }) => (
          <a {...props} href="/api/download" download>
            {children}
          </a>
        )}
      >
        {t`Download my data`}
      </Button>
    </div>
  );
}
