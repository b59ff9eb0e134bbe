import { t } from '@lingui/core/macro';
import {
  IconChartBar,
  IconHistory,
  IconLink,
  IconPencil,
  IconShield,
  IconSpeakerphone,
  IconTicket,
  IconUserCheck,
  IconUserPlus,
  IconUserQuestion,
  IconUsers,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { paths } from '#web/core/paths.ts';
import { type MenuPage, PagesMenu } from '#web/ui/PagesMenu.tsx';
import { applicationCountQuery } from './applications.ts';
import { editSuggestionCountQuery } from './edit-suggestions.ts';

/** The pages of moderators. */
export function ModerationMenu() {
  const edits = useQuery(editSuggestionCountQuery).data?.open ?? 0;
  const accounts = useQuery(applicationCountQuery).data?.waiting ?? 0;
  return <PagesMenu label={t`Moderation`} pages={listPages({ edits, accounts })} />;
}

const listPages = ({ edits, accounts }: { edits: number; accounts: number }): MenuPage[] => [
  { href: paths.moderation, label: t`Review queue`, Icon: IconShield },
  {
    href: paths.suggestedEdits,
    label: edits === 0 ? t`Suggested edits` : t`Suggested edits (${edits})`,
    Icon: IconPencil,
  },
  {
    href: paths.applications,
    label: accounts === 0 ? t`New accounts` : t`New accounts (${accounts})`,
    Icon: IconUserCheck,
  },
  { href: paths.claims, label: t`Claims of profiles`, Icon: IconUserQuestion },
  { href: paths.members, label: t`Members`, Icon: IconUsers },
  { href: `${paths.members}?show=profile_links`, label: t`Links in profiles`, Icon: IconLink },
  { href: paths.registrations, label: t`Recent registrations`, Icon: IconUserPlus },
  { href: paths.invitations, label: t`Invitations`, Icon: IconTicket },
  { href: paths.announcements, label: t`Announcements`, Icon: IconSpeakerphone },
  { href: paths.moderationLog, label: t`Moderation log`, Icon: IconHistory },
  { href: paths.statistics, label: t`Statistics`, Icon: IconChartBar },
];
