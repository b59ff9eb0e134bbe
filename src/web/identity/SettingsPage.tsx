import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { usePageSearch } from '#web/core/router.ts';
import { LanguageSelect } from '#web/ui/LanguageSelect.tsx';
import { MuteSettings } from '#web/engagement/index.ts';
import { paths } from '#web/core/paths.ts';
import { AvatarSettings } from './AvatarSettings.tsx';
import { AccountSettings } from './AccountSettings.tsx';
import { InstallApp, KeyboardSettings, ThemeSettings } from './BrowserSettings.tsx';
import { NotificationPreferences } from '#web/notifications/index.ts';
import { ProfileForm } from './ProfileForm.tsx';
import { SettingsSection } from './SettingsSection.tsx';
import { settingsQuery, useSaveLanguage } from './settings.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Skeleton, SkeletonLines } from '#web/ui/Skeleton.tsx';
import { type TabLink, TabLinks } from '#web/ui/TabLinks.tsx';
import forms from './settings-form.module.css';
import classes from '#web/ui/page.module.css';
import { oneOf } from '#web/core/page-search.ts';

const parseSettingsSearch = ({ tab }: Record<string, unknown>): { tab?: 'account' | undefined } => ({
  tab: oneOf(tab, 'account'),
});

type Tab = 'general' | 'account';

const tabs = (): readonly TabLink<Tab>[] => [
  { key: 'general', label: t`General`, href: paths.settings },
  { key: 'account', label: t`Account`, href: paths.accountSettings },
];

export function SettingsPage() {
  usePageTitle(t`Settings`);
  const { tab = 'general' } = usePageSearch(parseSettingsSearch);
  return (
    <>
      <div className={classes.header}>
        <PageHeading className={classes.heading}>{t`Settings`}</PageHeading>
      </div>
      <TabLinks label={t`Settings sections`} tabs={tabs()} current={tab}>
        {tab === 'general' ? <GeneralSettings /> : <AccountSettings />}
      </TabLinks>
    </>
  );
}

function GeneralSettings() {
  const saveLanguage = useSaveLanguage();
  return (
    <>
      <SettingsSection title={t`Profile`}>
        <AvatarSettings />
        <ProfileSection />
      </SettingsSection>
      <SettingsSection id="notifications" title={t`Notifications`} text={t`Changes are saved automatically.`}>
        <NotificationPreferences />
      </SettingsSection>
      <SettingsSection title={t`Theme`}>
        <ThemeSettings />
      </SettingsSection>
      <SettingsSection title={t`Language`} text={t`Also the language of your emails and push messages.`}>
        <LanguageSelect onChosen={() => saveLanguage.mutate()} />
      </SettingsSection>
      <SettingsSection
        title={t`Keyboard`}
        id="keyboard"
        text={t`Saved in this browser. Press ? to see all shortcuts.`}
      >
        <KeyboardSettings />
      </SettingsSection>
      <InstallApp />
      <SettingsSection title={t`Muted`} text={t`Only you can see what you mute.`}>
        <MuteSettings />
      </SettingsSection>
    </>
  );
}

function ProfileSection() {
  const query = useQuery(settingsQuery);
  // A form that is filled from the cache would save old values over those of another device.
  if (query.isPending || (!query.isFetchedAfterMount && query.failureCount === 0))
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
