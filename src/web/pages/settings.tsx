import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { LanguageSelect } from '#web/layout/LanguageSelect.tsx';
import { Mutes } from '#web/mutes/Mutes.tsx';
import { usePageTitle } from '#web/platform/title.ts';
import { Address } from '#web/settings/Address.tsx';
import { DataDownload } from '#web/settings/DataDownload.tsx';
import { DeleteAccount } from '#web/settings/DeleteAccount.tsx';
import { InstallApp } from '#web/settings/InstallApp.tsx';
import { KeyboardChoice } from '#web/settings/KeyboardChoice.tsx';
import { NotificationChoices } from '#web/settings/NotificationChoices.tsx';
import { PasswordForm } from '#web/settings/PasswordForm.tsx';
import { ProfileForm } from '#web/settings/ProfileForm.tsx';
import { Section } from '#web/settings/Section.tsx';
import { Sessions } from '#web/settings/Sessions.tsx';
import { settingsQuery } from '#web/settings/settings.ts';
import { ThemeChoice } from '#web/settings/ThemeChoice.tsx';
import { NotLoaded } from '#web/ui/NotLoaded.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { Pending } from '#web/ui/Pending.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { SkeletonLines } from '#web/ui/SkeletonLines.tsx';
import forms from '#web/settings/forms.module.css';
import classes from './page.module.css';

export function SettingsPage() {
  usePageTitle(t`Settings`);
  return (
    <>
      <PageHeading className={classes.heading}>{t`Settings`}</PageHeading>
      <Section title={t`Profile`}>
        <OwnProfile />
      </Section>
      <Section id="notifications" title={t`Notifications`} text={t`Each change is saved at once.`}>
        <NotificationChoices />
      </Section>
      <Section title={t`Theme`}>
        <ThemeChoice />
      </Section>
      <Section title={t`Language`}>
        <LanguageSelect />
      </Section>
      <Section
        title={t`Keyboard`}
        id="keyboard"
        text={t`Kept in this browser. All keys are listed when you press ?.`}
      >
        <KeyboardChoice />
      </Section>
      <InstallApp />
      <Section title={t`Email`}>
        <Address />
      </Section>
      <Section id="security" title={t`Password`} text={t`Changing it signs you out everywhere else.`}>
        <PasswordForm />
      </Section>
      <Section title={t`Muted`} text={t`Nobody else sees what you mute.`}>
        <Mutes />
      </Section>
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

function OwnProfile() {
  const query = useQuery(settingsQuery);
  if (query.isPending)
    return (
      <Pending label={t`Loading your profile`} part>
        <span className={forms.skeleton}>
          <span>
            <SkeletonLines widths={['6rem']} />
            <Skeleton width="100%" height="2.625rem" />
          </span>
          <span>
            <SkeletonLines widths={['2rem', '75%']} />
            <Skeleton width="100%" height="8rem" />
          </span>
          <SkeletonLines widths={['17rem']} />
          <Skeleton width="9rem" height="2.625rem" />
        </span>
      </Pending>
    );
  if (query.data === undefined)
    return <NotLoaded text={t`Your profile could not be loaded.`} query={query} />;
  return <ProfileForm initial={query.data} />;
}
