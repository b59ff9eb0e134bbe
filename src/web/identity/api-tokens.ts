import { t } from '@lingui/core/macro';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { ApiScope, ApiTokenDraft } from '#shared/integrations/api-tokens.ts';
import { api, readJson } from '#web/core/api.ts';

export const apiTokensQuery = queryOptions({
  queryKey: ['settings', 'api-tokens'],
  queryFn: ({ signal }) => readJson(api['api-tokens'].$get({}, { init: { signal } })),
  staleTime: 0,
});

export async function createApiToken(client: QueryClient, json: ApiTokenDraft) {
  const created = await readJson(api['api-tokens'].$post({ json }));
  // Not awaited: the token is shown also if the list cannot be read.
  void client.invalidateQueries({ queryKey: apiTokensQuery.queryKey });
  return created;
}

export async function revokeApiToken(client: QueryClient, id: number): Promise<void> {
  try {
    await readJson(api['api-tokens'][':id'].$delete({ param: { id: String(id) } }));
  } finally {
    void client.invalidateQueries({ queryKey: apiTokensQuery.queryKey });
  }
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
