import { t } from '@lingui/core/macro';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiScope, ApiTokenDraft } from '#shared/integrations/api-tokens.ts';
import { api, readJson } from '#web/core/api.ts';

export const apiTokensQuery = queryOptions({
  queryKey: ['settings', 'api-tokens'],
  queryFn: ({ signal }) => readJson(api['api-tokens'].$get({}, { init: { signal } })),
  staleTime: 0,
});

export function useCreateApiToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (draft: ApiTokenDraft) => readJson(api['api-tokens'].$post({ json: draft })),
    onSuccess: () => client.invalidateQueries({ queryKey: apiTokensQuery.queryKey }),
  });
}

export function useRevokeApiToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => readJson(api['api-tokens'][':id'].$delete({ param: { id: String(id) } })),
    onSettled: () => client.invalidateQueries({ queryKey: apiTokensQuery.queryKey }),
  });
}

/** The scopes with what they allow, in the order of the form. */
export const getScopes = (): readonly { scope: ApiScope; label: string; text: string }[] => [
  { scope: 'read', label: t`Read`, text: t`Questions, answers, topics, profiles and search` },
  { scope: 'drafts', label: t`Drafts`, text: t`Prepare posts as drafts, which you review and post yourself` },
  {
    scope: 'write',
    label: t`Write`,
    text: t`Ask, answer and reply; edit and delete your posts; upload pictures`,
  },
  { scope: 'lists', label: t`Votes and lists`, text: t`Vote, follow, bookmark and mute` },
  { scope: 'notifications', label: t`Notifications`, text: t`Read them and mark them as read` },
  {
    scope: 'moderation',
    label: t`Moderation`,
    text: t`What you may do as a moderator: the queue, decisions about posts, statistics`,
  },
];
