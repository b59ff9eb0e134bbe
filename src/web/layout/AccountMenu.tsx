import { t } from '@lingui/core/macro';
import { ActionIcon, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconLogout, IconRss, IconSettings, IconUser } from '@tabler/icons-react';
import { paths } from '#web/platform/paths.ts';
import { leaveSession, useMember } from '#web/platform/session.ts';
import { toastError } from '#web/platform/toast.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import classes from './AccountMenu.module.css';

const links = () => [
  { to: paths.profile, label: t`Profile`, Icon: IconUser },
  { to: paths.following, label: t`Following`, Icon: IconRss },
  { to: paths.settings, label: t`Settings`, Icon: IconSettings },
];

export function AccountMenu() {
  const member = useMember();
  const queryClient = useQueryClient();
  const logout = useMutation({
    mutationFn: () => leaveSession(queryClient),
    onError: () => toastError(t`You are still signed in: the server did not answer. Please try again.`),
  });
  if (member === null) return null;

  return (
    <Menu position="bottom-end" width={232}>
      <Menu.Target>
        <ActionIcon size={44} radius="xl" aria-label={t`Account menu`}>
          <Avatar id={member.id} name={member.displayName} size={30} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.who}>
          <div className={classes.name}>{member.displayName}</div>
          <div className={classes.email}>{member.email}</div>
        </div>
        {links().map(({ to, label, Icon }) => (
          <Menu.Item
            key={label}
            className={classes.item ?? ''}
            leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
            renderRoot={(props) => <Link to={to} {...props} />}
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
