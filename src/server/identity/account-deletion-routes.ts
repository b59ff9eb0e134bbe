import { createRoute } from '@hono/zod-openapi';
import type { Accounts } from './accounts.ts';
import type { RequirePassword } from './reauthentication.ts';
import { type RouteDeps, jsonBody, problemResponses, createRouter } from '#server/core/http.ts';
import { accountDeletion } from '#shared/identity/accounts.ts';
import { type QueueAccountDeletion, deleteAccount } from './account-deletion.ts';

export type AccountDeletionDeps = {
  accounts: Accounts;
  requirePassword: RequirePassword;
  queueAccountDeletion: QueueAccountDeletion | undefined;
};

const deleteOwnAccount = createRoute({
  method: 'post',
  path: '/account-deletion',
  summary: 'Delete the account, with or without its posts',
  request: { body: jsonBody(accountDeletion) },
  responses: {
    204: { description: 'The account is deleted and its sessions are ended' },
    ...problemResponses,
  },
});

export function accountDeletionRoutes({
  db,
  settings,
  accounts,
  requirePassword,
  queueAccountDeletion,
}: Pick<RouteDeps, 'db' | 'settings'> & AccountDeletionDeps) {
  return createRouter().openapi(deleteOwnAccount, async (c) => {
    const viewer = c.get('viewer');
    const { password, posts } = c.req.valid('json');
    await requirePassword(viewer, { password });
    const { secret } = settings;
    await deleteAccount(db, { viewer, posts, secret, queueDeletion: queueAccountDeletion });
    for (const cookie of await accounts.signOut(c.req.raw.headers))
      c.header('set-cookie', cookie, { append: true });
    return c.body(null, 204);
  });
}
