import type { QueryClient } from '@tanstack/react-query';
import type { InvitationDraft } from '#shared/identity/invitations.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';
import { getSiteOrigin, paths } from '#web/core/paths.ts';

export const invitationsQuery = pagedQuery(['admin', 'invitations'], (page, options) =>
  readJson(api.admin.invitations.$get({ query: page }, options)),
);

/** Returns the link, which cannot be read again. Its token is in the fragment, which browsers do not send. */
export async function createInvitation(client: QueryClient, draft: InvitationDraft): Promise<string> {
  const { token } = await readJson(api.admin.invitations.$post({ json: draft }));
  // Not awaited: the link is shown also if the list cannot be read.
  void client.invalidateQueries({ queryKey: invitationsQuery.queryKey });
  return `${getSiteOrigin()}${paths.register}#invitation=${token}`;
}

export async function revokeInvitation(client: QueryClient, id: number): Promise<void> {
  await readJson(api.admin.invitations[':id'].$delete({ param: { id: String(id) } }));
  void client.invalidateQueries({ queryKey: invitationsQuery.queryKey });
}
