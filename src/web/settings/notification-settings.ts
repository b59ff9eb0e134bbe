import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  NotificationAbout,
  NotificationChoice,
  NotificationChoiceChange,
  NotificationSettings,
} from '#shared/notification-settings.ts';
import { api, read } from '#web/platform/api.ts';
import { subscribeHere, unsubscribeHere } from './push.ts';
import { settingsKeys } from './settings.ts';

const queryKey = [...settingsKeys.own, 'notifications'] as const;

export const notificationSettingsQuery = queryOptions({
  queryKey,
  queryFn: ({ signal }) => read(api['notification-settings'].$get({}, { init: { signal } })),
  staleTime: 0,
});

/** Saves one choice; shown at once, and back again when the server refuses. */
export function useChoose() {
  const client = useQueryClient();
  return useMutation({
    // One after the other, so that the last one chosen is the last one saved.
    scope: { id: 'notification-settings' },
    mutationFn: ({ about, change }: { about: NotificationAbout; change: Change }) =>
      read(
        api['notification-settings'][':about'].$put({ param: { about }, json: { ...change, ...timeZone() } }),
      ),
    onMutate: async ({ about, change }) => {
      await client.cancelQueries({ queryKey });
      patch(client, about, change);
    },
    onError: () => client.invalidateQueries({ queryKey }),
    onSuccess: (saved, { about }) => {
      const mine = saved.choices.find((choice) => choice.about === about);
      if (mine !== undefined) patch(client, about, mine, saved);
    },
  });
}

export type Change = Omit<NotificationChoiceChange, 'timeZone'>;

export function useSendConfirmation() {
  return useMutation({ mutationFn: () => read(api['notification-settings'].confirmation.$post()) });
}

/** Asks the browser, then tells the server. Fails with PushRefused where the browser does. */
export function usePushHere() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (key: string) => {
      return read(api['push-subscription'].$put({ json: await subscribeHere(key) }));
    },
    onSuccess: (saved) => client.setQueryData(queryKey, saved),
  });
}

export function useStopPushHere() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const saved = await read(api['push-subscription'].$delete());
      await unsubscribeHere();
      return saved;
    },
    onSuccess: (saved) => client.setQueryData(queryKey, saved),
  });
}

/** What is on its way for the other lines stays as it is shown. */
function patch(
  client: ReturnType<typeof useQueryClient>,
  about: NotificationAbout,
  change: Change,
  saved?: NotificationSettings,
): void {
  client.setQueryData(notificationSettingsQuery.queryKey, (before) => {
    if (before === undefined) return before;
    const choices = before.choices.map((choice) =>
      choice.about === about ? { ...choice, ...defined(change) } : choice,
    );
    return { ...before, ...(saved && { mail: saved.mail }), choices };
  });
}

const defined = ({ inApp, mail, push }: Change): Partial<NotificationChoice> => ({
  ...(inApp !== undefined && { inApp }),
  ...(mail !== undefined && { mail }),
  ...(push !== undefined && { push }),
});

/** Where the member is, for the morning of a digest; older names of places that PostgreSQL may not know are left out. */
function timeZone(): { timeZone?: string } {
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  return /^[\w+/-]{1,64}$/.test(zone) ? { timeZone: zone } : {};
}
