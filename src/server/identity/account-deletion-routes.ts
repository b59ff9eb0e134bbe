import { createRoute } from '@hono/zod-openapi';
import type { Accounts } from './accounts.ts';
import type { AskForPassword } from './reauthentication.ts';
import { type RouteDeps, jsonBody, problemResponses, createRouter } from '#server/core/http.ts';
import { accountDeletion } from '#shared/identity/accounts.ts';
import { type QueueAccountDeletion, deleteAccount } from './account-deletion.ts';

export type AccountDeletionDeps = {
  accounts: Accounts;
  askForPassword: AskForPassword;
  queueAccountDeletion: QueueAccountDeletion | undefined;
};

const deleteOwnAccount = createRoute({
  method: 'post',
  path: '/departure',
  summary: 'Delete the own account for good, with what one wrote or without it',
  request: { body: jsonBody(accountDeletion) },
  responses: { 204: { description: 'The account is gone, and everybody signed out' }, ...problemResponses },
});

export function accountDeletionRoutes({
  db,
  accounts,
  askForPassword,
  queueAccountDeletion,
}: Pick<RouteDeps, 'db'> & AccountDeletionDeps) {
  return createRouter().openapi(deleteOwnAccount, async (c) => {
    const viewer = c.get('viewer');
    const { password, posts } = c.req.valid('json');
    await askForPassword(viewer, { password });
    await deleteAccount(db, { viewer, posts, queueDeletion: queueAccountDeletion });
    for (const cookie of await accounts.signOut(c.req.raw.headers))
      c.header('set-cookie', cookie, { append: true });
    return c.body(null, 204);
  });
}
