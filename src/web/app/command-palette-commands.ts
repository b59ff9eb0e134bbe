import { t } from '@lingui/core/macro';
import {
  IconBell,
  IconChecks,
  IconHash,
  IconHome,
  IconKeyboard,
  IconLogout,
  IconMessageQuestion,
  IconMessages,
  IconMoon,
  IconPencilPlus,
  IconRss,
  IconSettings,
  IconSun,
  IconTrendingUp,
  IconUser,
  type TablerIcon,
} from '@tabler/icons-react';
import { setColorScheme, useColorScheme } from '#web/core/color-scheme.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { newestNotificationsQuery } from '#web/notifications/notifications.ts';
import { useMarkAllRead } from '#web/notifications/notification-lists.ts';
import { paths } from '#web/core/paths.ts';
import { useMember } from '#web/core/session.ts';
import { signOut } from '#web/core/sign-out.ts';
import { toast, toastError } from '#web/core/toast.ts';

/** A link (`href`) or an action (`run`). */
export type Command = { id: string; label: string; Icon: TablerIcon } & (
  | { href: string }
  | { run: () => void }
);

const getNavigationCommands = (): Command[] => [
  { id: 'ask', Icon: IconPencilPlus, label: t`Ask a question`, href: paths.ask },
  { id: 'home', Icon: IconHome, label: t`Go to Home`, href: paths.home },
  { id: 'topics', Icon: IconHash, label: t`Go to Topics`, href: paths.tags },
  { id: 'following', Icon: IconRss, label: t`Go to Following`, href: paths.following },
  { id: 'notifications', Icon: IconBell, label: t`Go to Notifications`, href: paths.notifications },
  { id: 'profile', Icon: IconUser, label: t`Go to Your Profile`, href: paths.profile },
  { id: 'settings', Icon: IconSettings, label: t`Go to Settings`, href: paths.settings },
  { id: 'popular', Icon: IconTrendingUp, label: t`Go to popular questions`, href: '/?tab=popular' },
  {
    id: 'unanswered',
    Icon: IconMessageQuestion,
    label: t`Go to unanswered questions`,
    href: '/?tab=unanswered',
  },
  {
    id: 'mine',
    Icon: IconMessages,
    label: t`Go to your questions and answers`,
    href: `${paths.search}?q=user%3Ame`,
  },
];

const visitorCommands = new Set(['ask', 'home', 'topics', 'popular', 'unanswered', 'theme', 'shortcuts']);

/** The commands that are available on every page. */
export function useCommands({ showShortcuts }: { showShortcuts: () => void }): Command[] {
  const client = useQueryClient();
  const newest = useQuery({ ...newestNotificationsQuery, enabled: false }).data?.items[0]?.id ?? null;
  const markAll = useMarkAllRead();
  const logout = useMutation({
    mutationFn: () => signOut(client),
    onError: () => toastError(t`Could not log out: the server did not respond. Please try again.`),
  });
  const theme = useColorScheme() === 'dark' ? 'light' : 'dark';
  const isVisitor = useMember() === null;
  const commands: Command[] = [
    ...getNavigationCommands(),
    {
      id: 'theme',
      Icon: theme === 'dark' ? IconMoon : IconSun,
      label: theme === 'dark' ? t`Switch to dark theme` : t`Switch to light theme`,
      run: () => setColorScheme(theme),
    },
    {
      id: 'read',
      Icon: IconChecks,
      label: t`Mark all notifications as read`,
      run: () =>
        markAll.mutate({ upTo: newest }, { onSuccess: () => toast(t`All notifications marked as read.`) }),
    },
    { id: 'shortcuts', Icon: IconKeyboard, label: t`Show keyboard shortcuts`, run: showShortcuts },
    { id: 'logout', Icon: IconLogout, label: t`Logout`, run: () => logout.mutate() },
  ];
  return isVisitor ? commands.filter(({ id }) => visitorCommands.has(id)) : commands;
}
