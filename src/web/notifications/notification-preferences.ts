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
  queryFn: ({ signal }) => readJson(api['notification-preferences'].$get({}, { init: { signal } })),
  staleTime: 0,
});

/** Saves one preference. The change is optimistic and is reverted if the server refuses. */
export function useSavePreference() {
  const client = useQueryClient();
  return useMutation({
    // One after another, so that the last choice is saved last.
    scope: { id: 'notification-preferences' },
    mutationFn: ({ category, change }: { category: NotificationCategory; change: PreferenceChange }) =>
      readJson(
        api['notification-preferences'][':category'].$put({
          param: { category },
          json: { ...change, ...currentTimeZone() },
        }),
      ),
    onMutate: async ({ category, change }) => {
      await client.cancelQueries({ queryKey });
      const before = client
        .getQueryData(notificationPreferencesQuery.queryKey)
        ?.preferences.find((choice) => choice.category === category);
      patchPreference(client, category, change);
      // Only what changes: another choice of the category may be on its way.
      return before && pickChanged(before, change);
    },
    onError: (_error, { category }, before) => {
      if (before !== undefined) patchPreference(client, category, before);
      // Not awaited: without a connection it takes until there is one.
      void client.invalidateQueries({ queryKey });
    },
    onSuccess: (saved, { category }) => {
      const savedChoice = saved.preferences.find((choice) => choice.category === category);
      if (savedChoice !== undefined) patchPreference(client, category, savedChoice, saved);
    },
  });
}

export type PreferenceChange = Omit<NotificationPreferenceChange, 'timeZone'>;

export function useSendConfirmationEmail() {
  return useMutation({ mutationFn: () => readJson(api['notification-preferences'].confirmation.$post()) });
}

/**
 * Requests permission from the browser and registers the subscription with the server. Throws `PushError` if the
 * browser refuses.
 */
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

/** Keeps the optimistic state of the other rows. */
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

/** What a row had in the fields of a change. */
const pickChanged = (row: NotificationPreference, change: PreferenceChange): PreferenceChange =>
  Object.fromEntries(Object.entries(row).filter(([field]) => field in change));

const definedFields = ({ inApp, email, push }: PreferenceChange): Partial<NotificationPreference> => ({
  ...(inApp !== undefined && { inApp }),
  ...(email !== undefined && { email }),
  ...(push !== undefined && { push }),
});

/** The member's time zone, for the time of a digest. Old zone names that PostgreSQL may not know are omitted. */
function currentTimeZone(): { timeZone?: string } {
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  return /^[\w+/-]{1,64}$/.test(zone) ? { timeZone: zone } : {};
}
