import { t } from '@lingui/core/macro';
import { Menu } from '#web/ui/mantine/Menu.tsx';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '#web/ui/Link.tsx';
import {
  IconAdjustments,
  IconLogout,
  IconPencil,
  IconRss,
  IconSettings,
  IconShield,
  IconUser,
} from '@tabler/icons-react';
import { useId } from 'react';
import { canModerate } from '#shared/identity/roles.ts';
import type { Me } from '#shared/identity/accounts.ts';
import { paths } from '#web/core/paths.ts';
import { abilitiesQuery } from '#web/posts/abilities.ts';
import { signOut } from '#web/core/sign-out.ts';
import { toastError } from '#web/core/toast.ts';
import { ExternalTarget, useOpenAfterMount } from '#web/ui/lazy-popover.tsx';
import classes from './AccountMenuList.module.css';

const links = (member: Me, reviewsEdits: boolean) => [
  ...(canModerate(member.role) ? [{ to: paths.moderation, label: t`Review queue`, Icon: IconShield }] : []),
  ...(member.role === 'admin'
    ? [{ to: paths.siteSettings, label: t`Site settings`, Icon: IconAdjustments }]
    : []),
  ...(reviewsEdits ? [{ to: paths.suggestedEdits, label: t`Suggested edits`, Icon: IconPencil }] : []),
  { to: paths.profile, label: t`Profile`, Icon: IconUser },
  { to: paths.following, label: t`Following`, Icon: IconRss },
  { to: paths.settings, label: t`Settings`, Icon: IconSettings },
];

/** The contents of the account menu. Loaded when the menu is first opened. */
export default function AccountMenuList({
  member,
  button,
  opened,
  onClose,
}: {
  member: Me;
  button: HTMLElement | null;
  opened: boolean;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const whoId = useId();
  const reviewsEdits = useQuery(abilitiesQuery).data?.reviewEdits ?? false;
  const logout = useMutation({
    mutationFn: () => signOut(queryClient),
    onError: () => toastError(t`Could not log out: the server did not respond. Please try again.`),
  });

  return (
    <Menu
      position="bottom-end"
      width={232}
      opened={useOpenAfterMount(opened)}
      onClose={onClose}
      withinPortal={false}
    >
      <Menu.Target>
        <ExternalTarget button={button} />
      </Menu.Target>
      {/* A menu may contain only items, so the member's name is its description. */}
      <Menu.Dropdown aria-labelledby={button?.id} aria-describedby={whoId}>
        <div id={whoId} aria-hidden="true" className={classes.member}>
          <div className={classes.name}>{member.displayName}</div>
          <div className={classes.email}>{member.email}</div>
        </div>
        {links(member, reviewsEdits).map(({ to, label, Icon }) => (
          <Menu.Item
            key={label}
            className={classes.item ?? ''}
            leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
            renderRoot={(props) => <Link href={to} {...props} />}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          className={classes.item ?? ''}
          leftSection={<IconLogout size={18} stroke={1.6} aria-hidden />}
          onClick={() => logout.mutate()}
        >
          {t`Logout`}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
