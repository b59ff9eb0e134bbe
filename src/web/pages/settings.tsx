import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { LanguageSelect } from '#web/layout/LanguageSelect.tsx';
import { Mutes } from '#web/mutes/Mutes.tsx';
import { paths } from '#web/platform/paths.ts';
import { usePageTitle } from '#web/platform/title.ts';
import { AccountSettings } from '#web/settings/AccountSettings.tsx';
import { InstallApp } from '#web/settings/InstallApp.tsx';
import { KeyboardChoice } from '#web/settings/KeyboardChoice.tsx';
import { NotificationChoices } from '#web/settings/NotificationChoices.tsx';
import { ProfileForm } from '#web/settings/ProfileForm.tsx';
import { Section } from '#web/settings/Section.tsx';
import { settingsQuery } from '#web/settings/settings.ts';
import { ThemeChoice } from '#web/settings/ThemeChoice.tsx';
import { NotLoaded } from '#web/ui/NotLoaded.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { Pending } from '#web/ui/Pending.tsx';
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
      <Section title={t`Muted`} text={t`Nobody else sees what you mute.`}>
        <Mutes />
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
