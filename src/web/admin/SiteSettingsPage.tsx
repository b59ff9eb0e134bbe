import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { settingCategoryNames } from '#shared/core/settings/setting-definition.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { SkeletonLines } from '#web/ui/Skeleton.tsx';
import { AdminMenu } from './AdminMenu.tsx';
import { SettingField } from './SettingField.tsx';
import { SystemSection } from './SystemSection.tsx';
import { categoryLabels, siteSettingsQuery } from './site-settings.ts';
import page from '#web/ui/page.module.css';
import classes from './admin.module.css';

/** All site settings, for admins. */
export function SiteSettingsPage() {
  usePageTitle(t`Site settings`);
  const query = useQuery(siteSettingsQuery);
  const { data: settings } = query;
  return (
    <>
      <div className={page.header}>
        <PageHeading className={page.heading}>{t`Site settings`}</PageHeading>
        <AdminMenu />
      </div>
      <p className={classes.intro}>
        {t`Changes apply at once, for everyone. Each is in the moderation log, where it can be undone.`}
      </p>
      {query.isError && settings === undefined && (
        <LoadError text={t`The site settings could not be loaded.`} query={query} />
      )}
      {query.isPending && (
        <LoadingRegion label={t`Loading the site settings`}>
          <SkeletonLines widths={['40%', '90%', '30%', '80%', '50%', '85%']} />
        </LoadingRegion>
      )}
      {settings !== undefined &&
        settingCategoryNames.map((category) => (
          <section key={category} className={classes.section} aria-labelledby={`settings-${category}`}>
            <h2 id={`settings-${category}`}>{categoryLabels[category]()}</h2>
            {settings
              .filter((setting) => setting.category === category)
              .map((setting) => (
                <SettingField key={setting.name} setting={setting} />
              ))}
          </section>
        ))}
      <SystemSection />
    </>
  );
}
