import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { LanguageSelect } from '#web/layout/LanguageSelect.tsx';
import { Mutes } from '#web/mutes/Mutes.tsx';
import { usePageTitle } from '#web/platform/title.ts';
import { InstallApp } from '#web/settings/InstallApp.tsx';
import { KeyboardChoice } from '#web/settings/KeyboardChoice.tsx';
import { NotificationChoices } from '#web/settings/NotificationChoices.tsx';
import { PasswordForm } from '#web/settings/PasswordForm.tsx';
import { ProfileForm } from '#web/settings/ProfileForm.tsx';
import { Section } from '#web/settings/Section.tsx';
import { Sessions } from '#web/settings/Sessions.tsx';
import { settingsQuery } from '#web/settings/settings.ts';
import { ThemeChoice } from '#web/settings/ThemeChoice.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { Pending } from '#web/ui/Pending.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
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
      <Section title={t`Password`} text={t`Changing it signs you out everywhere else.`}>
        <PasswordForm />
      </Section>
      <Section title={t`Muted`} text={t`Nobody else sees what you mute.`}>
        <Mutes />
      </Section>
      <Section title={t`Where you are signed in`}>
        <Sessions />
      </Section>
    </>
  );
}

function OwnProfile() {
  const { data: settings, isPending, refetch } = useQuery(settingsQuery);
  if (isPending)
    return (
      <Pending label={t`Loading your profile`}>
        <span className={forms.skeleton}>
          <Skeleton width="100%" height="2.625rem" />
          <Skeleton width="100%" height="8rem" />
        </span>
      </Pending>
    );
  if (settings === undefined)
    return (
      <div className={classes.lead}>
        <p role="alert">{t`Your profile could not be loaded.`}</p>
        <Button variant="default" onClick={() => void refetch()}>
          {t`Try again`}
        </Button>
      </div>
    );
  return <ProfileForm initial={settings} />;
}
