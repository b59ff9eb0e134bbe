import { betterAuth, type BetterAuthPlugin, type GenericEndpointContext } from 'better-auth';
import { type Database, transaction } from '#server/core/database.ts';
import { getCookiePrefix, isHttps, type OperatorSettings } from '#server/core/operator-settings.ts';
import { applicationStatus } from '#shared/identity/applications.ts';
import { limits } from '#shared/core/limits.ts';
import { defaultPasswordCost, hashPassword, type PasswordCost, verifyPassword } from './passwords.ts';
import { endOldestSessions, endReplacedSession } from './sessions.ts';
import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { z } from 'zod';

export type Auth = ReturnType<typeof createAuth>;

const hour = 60 * 60;
const day = 24 * hour;

/**
 * Seconds that a session lasts after its last renewal, and seconds between renewals. The renewals are frequent enough
 * for the list of sessions to show the last use.
 */
const session = { expiresIn: 30 * day, updateAge: hour };

/** Returns when the next request renews a session, in milliseconds since 1970: always before it expires. */
export function getSessionRenewalTime(expiresAt: Date): number {
  return expiresAt.getTime() - (session.expiresIn - session.updateAge) * 1_000;
}

/**
 * Configures better-auth, which stores credentials and sessions. A member is its user record, so an account cannot
 * exist without a member. Its own HTTP routes are not mounted: accounts-routes.ts is the only access.
 */
export function createAuth(
  db: Database,
  settings: OperatorSettings,
  passwordCost: PasswordCost = defaultPasswordCost,
) {
  return betterAuth({
    database: { db, type: 'postgres', transaction: true },
    baseURL: settings.publicUrl ?? 'http://localhost',
    secret: settings.secret,
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { disabled: true },
    plugins: [internalEndpoints],
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 1,
      maxPasswordLength: limits.passwordMax * 2,
      password: { hash: (password) => hashPassword(password, passwordCost), verify: verifyPassword },
    },
    advanced: {
      cookiePrefix: getCookiePrefix(settings),
      // Otherwise better-auth adds its own prefix before ours.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isHttps(settings), httpOnly: true, sameSite: 'lax', path: '/' },
      database: { generateId: 'serial' },
      ipAddress: { disableIpTracking: true },
    },
    session: {
      modelName: 'session',
      ...session,
      fields: {
        userId: 'member_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    user: {
      modelName: 'member',
      fields: {
        name: 'display_name',
        emailVerified: 'email_verified',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      additionalFields: {
        language: { type: 'string', required: false },
        application: { type: 'string', required: false },
        showEmail: {
          type: 'boolean',
          fieldName: 'show_email',
          defaultValue: settings.profileEmail === 'shown',
        },
      },
    },
    account: {
      modelName: 'account',
      fields: {
        userId: 'member_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    verification: {
      modelName: 'verification',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    // For every sign-in method.
    databaseHooks: {
      session: {
        create: {
          after: async ({ id, userId }, ctx) => {
            const memberId = Number(userId);
            // `startSession` ends it after a sign-in, which can still be refused.
            const token = ctx?.path === '/sign-up/email' ? await readSessionToken(ctx) : null;
            if (token !== null)
              await transaction(db, (tx) =>
                endReplacedSession(tx, { token, by: { id: Number(id), memberId } }),
              );
            await endOldestSessions(db, memberId);
          },
        },
      },
    },
  });
}

/** Returns the token in the session cookie of a request, null without one. */
async function readSessionToken({
  context,
  getSignedCookie,
}: GenericEndpointContext): Promise<string | null> {
  return (await getSignedCookie(context.authCookies.sessionToken.name, context.secret)) || null;
}

/**
 * Endpoints that create a session for a member authenticated by other means than a password alone, set the cookie of a
 * session, and create a member for an account at the identity provider. They can only be called from the server's code,
 * not over HTTP.
 */
export const internalEndpoints = {
  id: 'parley-begin-session',
  endpoints: {
    beginSession: createAuthEndpoint.serverOnly(
      { method: 'POST', body: z.object({ memberId: z.number() }), requireHeaders: true },
      async (ctx) => {
        const user = await ctx.context.internalAdapter.findUserById(String(ctx.body.memberId));
        if (user === null) throw new Error(`member ${ctx.body.memberId} does not exist`);
        const session = await ctx.context.internalAdapter.createSession(user.id, false);
        await setSessionCookie(ctx, { session, user });
        return ctx.json({ sessionId: Number(session.id), replacedToken: await readSessionToken(ctx) });
      },
    ),
    setSessionToken: createAuthEndpoint.serverOnly(
      { method: 'POST', body: z.object({ token: z.string() }) },
      async (ctx) => {
        const { authCookies, secret, sessionConfig } = ctx.context;
        const { name, attributes } = authCookies.sessionToken;
        await ctx.setSignedCookie(name, ctx.body.token, secret, {
          ...attributes,
          maxAge: sessionConfig.expiresIn,
        });
        return ctx.json({});
      },
    ),
    createMember: createAuthEndpoint.serverOnly(
      {
        method: 'POST',
        body: z.object({
          name: z.string(),
          email: z.string(),
          emailVerified: z.boolean(),
          providerId: z.string(),
          accountId: z.string(),
          language: z.string().nullable(),
          application: applicationStatus.nullable(),
        }),
      },
      async (ctx) => {
        const { providerId, accountId, ...member } = ctx.body;
        const { user } = await ctx.context.internalAdapter.createOAuthUser(member, { providerId, accountId });
        return ctx.json({ memberId: Number(user.id) });
      },
    ),
  },
} satisfies BetterAuthPlugin;
