import { createRoute } from '@hono/zod-openapi';
import type { Database } from '#server/core/database.ts';
import { createRouter, jsonResponse, problemResponses } from '#server/core/http.ts';
import type { SignInMethods } from '#server/identity/index.ts';
import { requireAdmin } from '#server/moderation/index.ts';
import { passwordSignInState } from '#shared/admin/sign-in.ts';

const readPasswordSignIn = createRoute({
  method: 'get',
  path: '/admin/password-sign-in',
  summary: 'Count members who can sign in with a password only (admins)',
  responses: { 200: jsonResponse(passwordSignInState, 'The count'), ...problemResponses },
});

export function adminSignInRoutes({ db, signInMethods }: { db: Database; signInMethods: SignInMethods }) {
  return createRouter().openapi(readPasswordSignIn, async (c) => {
    requireAdmin(c.get('viewer'));
    return c.json({ membersWithPasswordOnly: await signInMethods.countMembersWithPasswordOnly(db) }, 200);
  });
}
