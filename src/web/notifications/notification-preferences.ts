import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  NotificationCategory,
  NotificationPreference,
  NotificationPreferenceChange,
  NotificationPreferences,
} from '#shared/notifications/preferences.ts';
import { api, readJson } from '#web/core/api.ts';
import { subscribeToPush, unsubscribeFromPush } from './web-push.ts';

const queryKey = ['settings', 'notifications'] as const;

export const notificationPreferencesQuery = queryOptions({
  queryKey,
  queryFn: ({ signal }) => readJson(api['notification-settings'].$get({}, { init: { signal } })),
  staleTime: 0,
});

/** Saves one choice; shown at once, and back again when the server refuses. */
export function useSavePreference() {
  const client = useQueryClient();
  return useMutation({
    // One after the other, so that the last one chosen is the last one saved.
    scope: { id: 'notification-settings' },
    mutationFn: ({ category, change }: { category: NotificationCategory; change: PreferenceChange }) =>
      readJson(
        api['notification-settings'][':category'].$put({
          param: { category },
          json: { ...change, ...currentTimeZone() },
        }),
      ),
    onMutate: async ({ category, change }) => {
      await client.cancelQueries({ queryKey });
      patchPreference(client, category, change);
    },
    onError: () => client.invalidateQueries({ queryKey }),
    onSuccess: (saved, { category }) => {
      const mine = saved.preferences.find((choice) => choice.category === category);
      if (mine !== undefined) patchPreference(client, category, mine, saved);
    },
  });
}

export type PreferenceChange = Omit<NotificationPreferenceChange, 'timeZone'>;

export function useSendConfirmationEmail() {
  return useMutation({ mutationFn: () => readJson(api['notification-settings'].confirmation.$post()) });
}

/** Asks the browser, then tells the server. Fails with PushRefused where the browser does. */
export function useEnablePush() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (key: string) => {
      return readJson(api['push-subscription'].$put({ json: await subscribeToPush(key) }));
    },
    onSuccess: (saved) => client.setQueryData(queryKey, saved),
  });
}

export function useDisablePush() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const saved = await readJson(api['push-subscription'].$delete());
      await unsubscribeFromPush();
      return saved;
    },
    onSuccess: (saved) => client.setQueryData(queryKey, saved),
  });
}

/** What is on its way for the other lines stays as it is shown. */
function patchPreference(
  client: ReturnType<typeof useQueryClient>,
  category: NotificationCategory,
  change: PreferenceChange,
  saved?: NotificationPreferences,
): void {
  client.setQueryData(notificationPreferencesQuery.queryKey, (before) => {
    if (before === undefined) return before;
    const preferences = before.preferences.map((choice) =>
      choice.category === category ? { ...choice, ...definedFields(change) } : choice,
    );
    return { ...before, ...(saved && { emailStatus: saved.emailStatus }), preferences };
  });
}

const definedFields = ({ inApp, email, push }: PreferenceChange): Partial<NotificationPreference> => ({
  ...(inApp !== undefined && { inApp }),
  ...(email !== undefined && { email }),
  ...(push !== undefined && { push }),
});

/** Where the member is, for the morning of a digest; older names of places that PostgreSQL may not know are left out. */
function currentTimeZone(): { timeZone?: string } {
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  return /^[\w+/-]{1,64}$/.test(zone) ? { timeZone: zone } : {};
}
