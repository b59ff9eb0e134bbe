import { t } from '@lingui/core/macro';
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { newestNotificationsQuery, useMarkAllRead } from '#web/notifications/notifications.ts';
import { paths } from '#web/platform/paths.ts';
import { leaveSession } from '#web/platform/session.ts';
import { toast, toastError } from '#web/platform/toast.ts';

/** `href` where it leads to, or `run` what it does. */
export type Command = { id: string; label: string } & ({ href: string } | { run: () => void });

const places = (): Command[] => [
  { id: 'ask', label: t`Ask a question`, href: paths.ask },
  { id: 'home', label: t`Go to Home`, href: paths.home },
  { id: 'topics', label: t`Go to Topics`, href: paths.topics },
  { id: 'following', label: t`Go to Following`, href: paths.following },
  { id: 'notifications', label: t`Go to Notifications`, href: paths.notifications },
  { id: 'profile', label: t`Go to Your Profile`, href: paths.profile },
  { id: 'settings', label: t`Go to Settings`, href: paths.settings },
  { id: 'popular', label: t`Go to popular questions`, href: '/?tab=popular' },
  { id: 'unanswered', label: t`Go to unanswered questions`, href: '/?tab=unanswered' },
  { id: 'mine', label: t`Go to your questions and answers`, href: `${paths.search}?q=user%3Ame` },
];

/** What can be done from anywhere. */
export function useCommands({ showShortcuts }: { showShortcuts: () => void }): Command[] {
  const client = useQueryClient();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const newest = useQuery({ ...newestNotificationsQuery, enabled: false }).data?.items[0]?.id ?? null;
  const markAll = useMarkAllRead();
  const logout = useMutation({
    mutationFn: () => leaveSession(client),
    onError: () => toastError(t`You are still signed in: the server did not answer. Please try again.`),
  });
  const theme = scheme === 'dark' ? 'light' : 'dark';
  return [
    ...places(),
    {
      id: 'theme',
      label: theme === 'dark' ? t`Switch to dark theme` : t`Switch to light theme`,
      run: () => setColorScheme(theme),
    },
    {
      id: 'read',
      label: t`Mark all notifications read`,
      run: () => markAll.mutate(newest, { onSuccess: () => toast(t`All notifications are read.`) }),
    },
    { id: 'shortcuts', label: t`Show keyboard shortcuts`, run: showShortcuts },
    { id: 'logout', label: t`Logout`, run: () => logout.mutate() },
  ];
}
