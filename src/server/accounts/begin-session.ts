import type { BetterAuthPlugin } from 'better-auth';
import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { z } from 'zod';

/**
 * Lets better-auth begin a session for a member who has shown who they are by other means than a password alone, and make
 * a member who comes from an identity provider. Callable from here only, never over HTTP.
 */
export const internalEndpoints = {
  id: 'parley-begin-session',
  endpoints: {
    beginSession: createAuthEndpoint.serverOnly(
      { method: 'POST', body: z.object({ memberId: z.number() }), requireHeaders: true },
      async (ctx) => {
        const user = await ctx.context.internalAdapter.findUserById(String(ctx.body.memberId));
        if (user === null) throw new Error(`there is no member ${ctx.body.memberId}`);
        const session = await ctx.context.internalAdapter.createSession(user.id, false);
        await setSessionCookie(ctx, { session, user });
        return ctx.json({});
      },
    ),
    createMember: createAuthEndpoint.serverOnly(
      {
        method: 'POST',
        body: z.object({
          name: z.string(),
          email: z.string(),
          providerId: z.string(),
          accountId: z.string(),
        }),
      },
      async (ctx) => {
        const { name, email, providerId, accountId } = ctx.body;
        const { user } = await ctx.context.internalAdapter.createOAuthUser(
          { name, email, emailVerified: true },
          { providerId, accountId },
        );
        return ctx.json({ memberId: Number(user.id) });
      },
    ),
  },
} satisfies BetterAuthPlugin;
