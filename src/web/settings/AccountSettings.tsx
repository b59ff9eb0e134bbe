import { t } from '@lingui/core/macro';
import { Address } from './Address.tsx';
import { DataDownload } from './DataDownload.tsx';
import { DeleteAccount } from './DeleteAccount.tsx';
import { Passkeys } from './Passkeys.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { ProviderAccount } from './ProviderAccount.tsx';
import { SecondFactor } from './SecondFactor.tsx';
import { Section } from './Section.tsx';
import { Sessions } from './Sessions.tsx';

/** The tab of the settings about signing in, and about the account as a whole. */
export function AccountSettings() {
  return (
    <>
      <Section title={t`Email`}>
        <Address />
      </Section>
      <Section id="security" title={t`Password`} text={t`Changing it signs you out everywhere else.`}>
        <PasswordForm />
      </Section>
      <Section
        title={t`Two-factor sign-in`}
        text={t`A code of an app on your phone is asked for as well as the password.`}
      >
        <SecondFactor />
      </Section>
      <Section
        title={t`Passkeys`}
        text={t`Sign in with a finger, your face or the PIN of your device, without a password or a code.`}
      >
        <Passkeys />
      </Section>
      <ProviderAccount />
      <Section title={t`Where you are signed in`}>
        <Sessions />
      </Section>
      <Section
        title={t`Your data`}
        text={t`Everything that is yours, as JSON for programs and as Markdown to read: what you wrote with all versions, votes, follows, bookmarks, drafts, settings and more.`}
      >
        <DataDownload />
      </Section>
      <Section title={t`Leaving`} text={t`Your account is deleted for good.`}>
        <DeleteAccount />
      </Section>
    </>
  );
}
