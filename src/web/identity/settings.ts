import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { MemberSettings, PasswordChange } from '#shared/identity/profiles.ts';
import { api, readJson } from '#web/core/api.ts';
import { requestSignOut, sessionQuery, setSession, useMember } from '#web/core/session.ts';
import { isLanguage } from '#shared/core/languages.ts';
import type { AccountDeletion } from '#shared/identity/accounts.ts';
import type { EmailChange } from '#shared/identity/account-recovery.ts';
import { toastError } from '#web/core/toast.ts';
import { clearRecentItems } from '#web/core/recent-items.ts';

export const settingsKeys = { all: ['settings'], sessions: ['settings', 'sessions'] } as const;

export const settingsQuery = queryOptions({
  queryKey: settingsKeys.all,
  queryFn: ({ signal }) => readJson(api.settings.$get({}, { init: { signal } })),
  staleTime: 0,
});

/** The member's active sessions. */
export const sessionsQuery = queryOptions({
  queryKey: settingsKeys.sessions,
  queryFn: ({ signal }) => readJson(api.sessions.$get({}, { init: { signal } })),
  staleTime: 0,
});

export function useSaveSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (settings: MemberSettings) => readJson(api.settings.$put({ json: settings })),
    onSuccess: (saved) => {
      client.setQueryData(settingsKeys.all, saved);
      client.setQueryData(sessionQuery.queryKey, (session) =>
        session?.member
          ? { ...session, member: { ...session.member, displayName: saved.displayName, bio: saved.bio } }
          : session,
      );
      // The name appears on every post and card.
      void client.invalidateQueries();
    },
  });
}

/** Also ends all other sessions. */
export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: PasswordChange) => readJson(api.password.$put({ json: change })),
    onSuccess: () => {
      // It cancels a pending change of the email address.
      void client.invalidateQueries({ queryKey: emailQuery.queryKey });
      void client.invalidateQueries({ queryKey: settingsKeys.sessions });
    },
  });
}

export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => readJson(api.sessions[':id'].$delete({ param: { id: String(id) } })),
    // Also after a failure: the session may have expired.
    onSettled: () => void client.invalidateQueries({ queryKey: settingsKeys.sessions }),
  });
}

export function useEndOtherSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => readJson(api.sessions.$delete()),
    onSettled: () => void client.invalidateQueries({ queryKey: settingsKeys.sessions }),
  });
}

/** The member's email address and the new one that waits for confirmation. */
export const emailQuery = queryOptions({
  queryKey: ['settings', 'email-address'],
  queryFn: ({ signal }) => readJson(api['email-address'].$get({}, { init: { signal } })),
  staleTime: 0,
});

/**
 * Whether the member confirms actions with a password (OwnPasswordField.tsx). Undefined while it is unknown; true if it
 * cannot be loaded, so that those who have one can enter it.
 * @param known the answer where the caller has it; the server is then not asked
 */
export function useHasPassword(known?: boolean): boolean | undefined {
  const own = useQuery({ ...emailQuery, enabled: known === undefined });
  return known ?? own.data?.hasPassword ?? (own.isError || undefined);
}

export function useChangeEmail() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: EmailChange) => readJson(api['email-address'].$put({ json: change })),
    onSuccess: (state) => {
      client.setQueryData(emailQuery.queryKey, state);
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
}

/** Sends emails again after some came back. */
export function useSwitchEmailsOn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => readJson(api['email-address'].delivery.$put({ json: { enabled: true } })),
    onSuccess: (state) => client.setQueryData(emailQuery.queryKey, state),
    onError: (error) => toastError(error.message),
  });
}

/** Makes the language of the interface that of emails and push messages. */
export function useSaveLanguage() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => {
      const { locale } = i18n;
      const language = isLanguage(locale) ? locale : 'en';
      return readJson(api['email-address'].language.$put({ json: { language } }));
    },
    onSuccess: (state) => client.setQueryData(emailQuery.queryKey, state),
    onError: () => toastError(t`Could not save. Please try again.`),
  });
}

export function useCancelEmailChange() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => readJson(api['email-address'].change.$delete()),
    onSuccess: (state) => client.setQueryData(emailQuery.queryKey, state),
    onError: () => void client.invalidateQueries({ queryKey: emailQuery.queryKey }),
  });
}

/** Deletes the account and clears the session. */
export function useDeleteAccount({ onDeleted }: { onDeleted: () => void }) {
  const client = useQueryClient();
  const id = useMember()?.id;
  return useMutation({
    mutationFn: (deletion: AccountDeletion) =>
      requestSignOut(() => readJson(api['account-deletion'].$post({ json: deletion }))),
    // Runs also if the page of the dialog has been left meanwhile.
    onSuccess: () => {
      onDeleted();
      if (id !== undefined) clearRecentItems(id);
      setSession(client, { member: null, hasSignedOut: true });
    },
  });
}
