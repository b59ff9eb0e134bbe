import { t } from '@lingui/core/macro';
import {
  IconAt,
  IconChartBar,
  IconCode,
  IconHistory,
  IconKey,
  IconRobot,
  IconSettings,
  IconTicket,
  IconWebhook,
} from '@tabler/icons-react';
import { paths } from '#web/core/paths.ts';
import { type MenuPage, PagesMenu } from '#web/ui/PagesMenu.tsx';

/** The pages of admins. */
export function AdminMenu() {
  return <PagesMenu label={t`Administration`} pages={listPages()} />;
}

const listPages = (): MenuPage[] => [
  { href: paths.siteSettings, label: t`Site settings`, Icon: IconSettings },
  { href: paths.statistics, label: t`Statistics`, Icon: IconChartBar },
  { href: paths.emails, label: t`Emails`, Icon: IconAt },
  { href: paths.signInProviders, label: t`Sign-in providers`, Icon: IconKey },
  { href: paths.webhooks, label: t`Web hooks`, Icon: IconWebhook },
  { href: paths.widget, label: t`Questions on other sites`, Icon: IconCode },
  { href: '/admin/service-accounts', label: t`Service accounts`, Icon: IconRobot },
  { href: paths.invitations, label: t`Invitations`, Icon: IconTicket },
  { href: paths.moderationLog, label: t`Moderation log`, Icon: IconHistory },
];
