import { t } from '@lingui/core/macro';
import { EmailSettings } from './Address.tsx';
import { DataExport } from './DataDownload.tsx';
import { DeleteAccount } from './DeleteAccount.tsx';
import { PasskeySettings } from './Passkeys.tsx';
import { ChangePasswordForm } from './PasswordForm.tsx';
import { ProviderAccount } from './ProviderAccount.tsx';
import { TwoFactorSettings } from './SecondFactor.tsx';
import { SettingsSection } from './Section.tsx';
import { ActiveSessions } from './Sessions.tsx';

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
