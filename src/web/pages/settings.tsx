import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { LanguageSelect } from '#web/layout/LanguageSelect.tsx';
import { MuteSettings } from '#web/mutes/Mutes.tsx';
import { paths } from '#web/platform/paths.ts';
import { usePageTitle } from '#web/platform/title.ts';
import { AccountSettings } from '#web/settings/AccountSettings.tsx';
import { InstallApp } from '#web/settings/InstallApp.tsx';
import { KeyboardSettings } from '#web/settings/KeyboardChoice.tsx';
import { NotificationPreferences } from '#web/settings/NotificationChoices.tsx';
import { ProfileForm } from '#web/settings/ProfileForm.tsx';
import { SettingsSection } from '#web/settings/Section.tsx';
import { settingsQuery } from '#web/settings/settings.ts';
import { ThemeSettings } from '#web/settings/ThemeChoice.tsx';
import { LoadError } from '#web/ui/NotLoaded.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { LoadingRegion } from '#web/ui/Pending.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { SkeletonLines } from '#web/ui/SkeletonLines.tsx';
import { TabLinks, type TabLink } from '#web/ui/TabLinks.tsx';
import forms from '#web/settings/forms.module.css';
import classes from './page.module.css';

type Tab = 'general' | 'account';

const tabs = (): readonly TabLink<Tab>[] => [
  { key: 'general', label: t`General`, href: paths.settings },
  { key: 'account', label: t`Account`, href: paths.accountSettings },
];

export function SettingsPage() {
  usePageTitle(t`Settings`);
  const { tab = 'general' } = useSearch({ from: '/member/settings' });
  return (
    <>
      <div className={classes.header}>
        <PageHeading className={classes.heading}>{t`Settings`}</PageHeading>
      </div>
      <TabLinks label={t`Parts of the settings`} tabs={tabs()} current={tab}>
        {tab === 'general' ? <GeneralSettings /> : <AccountSettings />}
      </TabLinks>
    </>
  );
}

function GeneralSettings() {
  return (
    <>
      <SettingsSection title={t`Profile`}>
        <ProfileSection />
      </SettingsSection>
      <SettingsSection id="notifications" title={t`Notifications`} text={t`Each change is saved at once.`}>
        <NotificationPreferences />
      </SettingsSection>
      <SettingsSection title={t`Theme`}>
        <ThemeSettings />
      </SettingsSection>
      <SettingsSection title={t`Language`}>
        <LanguageSelect />
      </SettingsSection>
      <SettingsSection
        title={t`Keyboard`}
        id="keyboard"
        text={t`Kept in this browser. All keys are listed when you press ?.`}
      >
        <KeyboardSettings />
      </SettingsSection>
      <InstallApp />
      <SettingsSection title={t`Muted`} text={t`Nobody else sees what you mute.`}>
        <MuteSettings />
      </SettingsSection>
    </>
  );
}

function ProfileSection() {
  const query = useQuery(settingsQuery);
  if (query.isPending)
    return (
      <LoadingRegion label={t`Loading your profile`} part>
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
      </LoadingRegion>
    );
  if (query.data === undefined)
    return <LoadError text={t`Your profile could not be loaded.`} query={query} />;
  return <ProfileForm initial={query.data} />;
}
