import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Database } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import { answers, json, problems, router, type SignedInEnv, type VisitorEnv } from '#server/platform/http.ts';
import { networkAddress } from '#server/platform/network-address.ts';
import { rateLimit } from '#server/platform/rate-limits.ts';
import type { Settings } from '#server/platform/settings.ts';
import { accountMessages, credentials, ownSessions, registration, sessionState } from '#shared/accounts.ts';
import { idParam } from '#shared/fields.ts';
import { passwordChange } from '#shared/profiles.ts';
import { type SignInState, signInState } from '#shared/second-factor.ts';
import { madeByHeader } from '#shared/waiting.ts';
import { type Accounts, endOtherSessions, endSession, me, type SignedIn, type Visitor } from './accounts.ts';
import { sessionsOf } from './queries.ts';
import type { SigningIn, SignInOutcome } from './signing-in.ts';
import { refuseWaiting } from './registrations.ts';
import { isOwnAffair, refuseSuspended } from './suspended.ts';

export type AccountDeps = { db: Database; accounts: Accounts; settings: Settings };

/** Lets only signed-in members through, and tells the handlers who asks. */
export function signedIn({ accounts }: AccountDeps) {
  return createMiddleware<SignedInEnv>(async (c, next) => {
    const session = await accounts.viewer(c.req.raw.headers);
    if (session === null) throw new ProblemError('signed-out', 'Please sign in first.');
    // What waited in a browser for a connection is never done as the member who signed in there since.
    const madeBy = c.req.header(madeByHeader) ?? String(session.viewer.id);
    if (madeBy !== String(session.viewer.id))
      throw new ProblemError('signed-out', 'The member who did this is signed out by now.');
    refuseSuspended(session.viewer.standing, c.req);
    refuseWaiting(session.viewer.standing, c.req, isOwnAffair);
    c.set('viewer', session.viewer);
    await next();
    setCookies(c, session.cookies);
  });
}

const register = createRoute({
  method: 'post',
  path: '/members',
  summary: 'Register, and be signed in',
  request: { body: json(registration) },
  responses: { 201: answers(sessionState, 'Registered and signed in'), ...problems },
});

const signIn = createRoute({
  method: 'post',
  path: '/session',
  summary: 'Sign in',
  request: { body: json(credentials) },
  responses: { 200: answers(signInState, 'Signed in, or asked for a second factor'), ...problems },
});

const readSession = createRoute({
  method: 'get',
  path: '/session',
  summary: 'Who is signed in',
  responses: { 200: answers(sessionState, 'The signed-in member, or null'), ...problems },
});

const signOut = createRoute({
  method: 'delete',
  path: '/session',
  summary: 'Sign out',
  responses: { 204: { description: 'Signed out' }, ...problems },
});

/** What visitors may do, and nothing else. */
export function visitorRoutes(deps: AccountDeps & { signingIn: SigningIn }) {
  const { accounts, settings, signingIn } = deps;
  return router<VisitorEnv>()
    .openapi(register, async (c) => {
      const session = await accounts.register(c.req.valid('json'), visitorOf(c, settings));
      c.set('registered', session.memberId);
      return c.json(await begin(c, session), 201);
    })
    .openapi(signIn, async (c) => {
      if (!settings.passwordSignIn) throw new ProblemError('disabled', accountMessages.disabled);
      const memberId = await accounts.checkPassword(c.req.valid('json'), visitorOf(c, settings));
      const outcome = await signingIn.afterFirstFactor(memberId, c.req.raw.headers);
      return c.json(await answerSignIn(c, deps.db, outcome), 200);
    })
    .openapi(readSession, async (c) => {
      const session = await accounts.viewer(c.req.raw.headers);
      setCookies(c, session?.cookies ?? []);
      return c.json({ member: session === null ? null : await me(deps.db, session.viewer.id) }, 200);
    })
    .openapi(signOut, async (c) => {
      setCookies(c, await accounts.signOut(c.req.raw.headers));
      return c.body(null, 204);
    });

  async function begin(c: Context, session: SignedIn) {
    setCookies(c, session.cookies);
    return { member: await me(deps.db, session.memberId) };
  }
}

const listSessions = createRoute({
  method: 'get',
  path: '/sessions',
  summary: 'Where the member is signed in',
  responses: { 200: answers(ownSessions, 'Newest first'), ...problems },
});

const revokeSession = createRoute({
  method: 'delete',
  path: '/sessions/{id}',
  summary: 'End one of the own sessions',
  request: { params: idParam },
  responses: { 204: { description: 'Ended' }, ...problems },
});

const revokeOthers = createRoute({
  method: 'delete',
  path: '/sessions',
  summary: 'End all own sessions but this one',
  responses: { 204: { description: 'Ended' }, ...problems },
});

const changePassword = createRoute({
  method: 'put',
  path: '/password',
  summary: 'Change the own password, and end all other sessions',
  request: { body: json(passwordChange) },
  responses: { 204: { description: 'Changed' }, ...problems },
});

export function sessionRoutes({ db, accounts }: AccountDeps) {
  // As many guesses as signing in allows; a stranger at an open screen uses up those of its session only.
  const guesses = rateLimit(db, { name: 'password', points: 5, seconds: 15 * 60 });
  return router()
    .openapi(listSessions, async (c) => {
      const viewer = c.get('viewer');
      const rows = await sessionsOf(db, viewer.id);
      const items = rows.map((row) => ({
        id: row.id,
        createdAt: row.created_at.toISOString(),
        usedAt: row.updated_at.toISOString(),
        expiresAt: row.expires_at.toISOString(),
        userAgent: row.user_agent,
        current: row.id === viewer.sessionId,
      }));
      return c.json({ items }, 200);
    })
    .openapi(revokeSession, async (c) => {
      await endSession(db, { viewer: c.get('viewer'), sessionId: c.req.valid('param').id });
      return c.body(null, 204);
    })
    .openapi(revokeOthers, async (c) => {
      await endOtherSessions(db, c.get('viewer'));
      return c.body(null, 204);
    })
    .openapi(changePassword, async (c) => {
      const key = String(c.get('viewer').sessionId);
      if (!(await guesses.take(key)))
        throw new ProblemError('too-many', accountMessages.tooManyLogins, { retryAfter: 15 * 60 });
      setCookies(c, await accounts.changePassword(c.req.valid('json'), c.req.raw.headers, c.get('viewer')));
      await guesses.reset(key);
      return c.body(null, 204);
    });
}

export function visitorOf(c: Context, { trustedProxies }: Pick<Settings, 'trustedProxies'>): Visitor {
  return { headers: c.req.raw.headers, address: networkAddress(c, trustedProxies) };
}

/** What a try to sign in is answered with. */
export async function answerSignIn(c: Context, db: Database, outcome: SignInOutcome): Promise<SignInState> {
  setCookies(c, outcome.cookies);
  if (outcome.memberId === null) return { member: null, needs: 'second-factor' };
  return { member: await me(db, outcome.memberId) };
}

export function setCookies(c: Context, cookies: readonly string[]): void {
  for (const cookie of cookies) c.header('set-cookie', cookie, { append: true });
}
