import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Menu, menuPortal } from '#web/ui/mantine/Menu.tsx';
import {
  IconChartBar,
  IconChevronDown,
  IconHistory,
  IconLink,
  IconPencil,
  IconSpeakerphone,
  IconShield,
  IconUserCheck,
  IconUserPlus,
  IconUserQuestion,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#web/core/paths.ts';
import { applicationCountQuery } from './applications.ts';
import { editSuggestionCountQuery } from './edit-suggestions.ts';

/** The other pages of moderators. */
export function ModerationMenu() {
  const edits = useQuery(editSuggestionCountQuery).data?.open ?? 0;
  const accounts = useQuery(applicationCountQuery).data?.waiting ?? 0;
  return (
    <Menu position="bottom-end" width={248} portalProps={menuPortal}>
      <Menu.Target>
        <Button
          variant="default"
          rightSection={<IconChevronDown size={16} stroke={1.8} aria-hidden />}
        >{t`Moderation`}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {listPages({ edits, accounts }).map(({ to, search, label, Icon }) => (
          <Menu.Item
            key={label}
            leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
            renderRoot={(props) => <Link to={to} search={search ?? {}} {...props} />}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

type Page = { to: string; search?: { show: string }; label: string; Icon: TablerIcon };

const listPages = ({ edits, accounts }: { edits: number; accounts: number }): Page[] => [
  { to: paths.moderation, label: t`Review queue`, Icon: IconShield },
  {
    to: paths.suggestedEdits,
    label: edits === 0 ? t`Suggested edits` : t`Suggested edits (${edits})`,
    Icon: IconPencil,
  },
  {
    to: paths.applications,
    label: accounts === 0 ? t`New accounts` : t`New accounts (${accounts})`,
    Icon: IconUserCheck,
  },
  { to: paths.claims, label: t`Claims of profiles`, Icon: IconUserQuestion },
  { to: paths.members, label: t`Members`, Icon: IconUsers },
  { to: paths.members, search: { show: 'profile_links' }, label: t`Links in profiles`, Icon: IconLink },
  { to: paths.registrations, label: t`Recent registrations`, Icon: IconUserPlus },
  { to: paths.announcements, label: t`Announcements`, Icon: IconSpeakerphone },
  { to: paths.moderationLog, label: t`Moderation log`, Icon: IconHistory },
  { to: paths.statistics, label: t`Statistics`, Icon: IconChartBar },
];
