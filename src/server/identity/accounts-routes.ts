import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { ProblemError } from '#server/core/errors.ts';
import {
  jsonResponse,
  jsonBody,
  problemResponses,
  createRouter,
  isMember,
  type PublicEnv,
  type Viewer,
  type RouteDeps,
  signedOutViewer,
  type VisitorEnv,
} from '#server/core/http.ts';
import { getNetworkAddress } from '#server/core/network-address.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import {
  credentials,
  currentSession,
  ownSessions,
  registration,
  sessionState,
} from '#shared/identity/accounts.ts';
import { idParam } from '#shared/core/fields.ts';
import { sitePageNames } from '#shared/core/site-page-names.ts';
import { parseFooterLink } from '#shared/core/site-pages.ts';
import { passwordChange } from '#shared/identity/profiles.ts';
import { type SignInState, signInState } from '#shared/identity/two-factor.ts';
import type { SignInMethod } from '#shared/identity/accounts.ts';
import { actingMemberHeader } from '#shared/core/protocol.ts';
import {
  type Accounts,
  endOtherSessions,
  endSession,
  getSessionState,
  type NewSession,
  type Visitor,
  isOwnAccountPath,
  refuseSuspended,
} from './accounts.ts';
import { listSessions } from './accounts-queries.ts';
import type { ChangePassword } from './password-change.ts';
import type { PasswordSignIn } from './password-sign-in.ts';
import { recordSignIn } from './sign-ins.ts';
import type { SignIn, SignInOutcome } from './sign-in.ts';
import { createApplicationProblem, isApplicantRequest } from './applications.ts';
import { refusePendingAccount } from './registrations.ts';

export type AccountDeps = RouteDeps & {
  accounts: Accounts;
  passwordSignIn: PasswordSignIn;
  changePassword: ChangePassword;
  /**
   * Returns the viewer of a request with an API token; null for a request without one.
   * @throws ProblemError if the token is not valid, or does not allow the request
   */
  findTokenViewer: (c: Context) => Promise<Viewer | null>;
};

/** Sets the viewer: the signed-in member, or a visitor who reads while public reading is on. Refuses everyone else. */
export function identifyViewer({ accounts, siteSettings, findTokenViewer }: AccountDeps) {
  return createMiddleware<PublicEnv>(async (c, next) => {
    const programViewer = await findTokenViewer(c);
    const session =
      programViewer === null
        ? await accounts.account(c.req.raw.headers)
        : { viewer: programViewer, cookies: [] };
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
    const isPublicRead = isRead && siteSettings.get('publicReading');
    if (session === null) {
      if (!isPublicRead) throw new ProblemError('signed-out');
      c.set('viewer', signedOutViewer);
      return next();
    }
    const { application } = session.viewer.memberStatus;
    if (application !== null && !isApplicantRequest(c.req)) {
      if (!isPublicRead) throw createApplicationProblem(application);
      c.set('viewer', signedOutViewer);
      c.set('application', application);
      return next();
    }
    // A write of a page names its member. It is refused if another one signed in to the browser since.
    const madeBy = c.req.header(actingMemberHeader) ?? String(session.viewer.id);
    if (madeBy !== String(session.viewer.id) && !isDeletionOfPost(c.req))
      throw new ProblemError('other-member-signed-in');
    refuseSuspended(session.viewer.memberStatus, c.req);
    refusePendingAccount(session.viewer.memberStatus, c.req, isOwnAccountPath);
    c.set('viewer', session.viewer);
    await next();
    // A handler may have set a new cookie of the session, or cleared it.
    if (!c.res.headers.has('set-cookie')) setCookies(c, session.cookies);
    return undefined;
  });
}

/** Only the author can delete a post; anyone else gets the error that says so (docs/product.md 4.3). */
const isDeletionOfPost = ({ method, path }: { method: string; path: string }) =>
  method === 'DELETE' && /^\/api\/(?:questions|answers|replies)\/\d+$/u.test(path);

/** Lets only signed-in members through. */
export const requireSignedIn = createMiddleware<PublicEnv>(async (c, next) => {
  const application = c.get('application');
  if (application !== undefined) throw createApplicationProblem(application);
  if (!isMember(c.get('viewer'))) throw new ProblemError('signed-out');
  await next();
});

const register = createRoute({
  method: 'post',
  path: '/members',
  summary: 'Register and sign in',
  request: { body: jsonBody(registration) },
  responses: { 201: jsonResponse(sessionState, 'Registered and signed in'), ...problemResponses },
});

const signIn = createRoute({
  method: 'post',
  path: '/session',
  summary: 'Sign in',
  request: { body: jsonBody(credentials) },
  responses: {
    200: jsonResponse(signInState, 'Signed in, or a two-factor code is needed'),
    ...problemResponses,
  },
});

const readSession = createRoute({
  method: 'get',
  path: '/session',
  summary: 'Get the signed-in member',
  responses: {
    200: jsonResponse(currentSession, 'The signed-in member, or null'),
    ...problemResponses,
  },
});

const signOut = createRoute({
  method: 'delete',
  path: '/session',
  summary: 'Sign out',
  responses: { 204: { description: 'Signed out' }, ...problemResponses },
});

/** Routes that visitors need to register and sign in. */
export function accountVisitorRoutes(deps: AccountDeps & { signingIn: SignIn }) {
  const { accounts, passwordSignIn, settings, signingIn } = deps;
  return createRouter<VisitorEnv>()
    .openapi(register, async (c) => {
      const session = await accounts.register(c.req.valid('json'), getVisitor(c, settings));
      c.set('registered', session.memberId);
      return c.json(await begin(c, session), 201);
    })
    .openapi(signIn, async (c) => {
      passwordSignIn.require();
      const member = await accounts.checkPassword(c.req.valid('json'), getVisitor(c, settings));
      const outcome = await signingIn.afterFirstFactor(member, c.req.raw.headers);
      return c.json(await toSignInResponse(c, deps, { ...outcome, method: 'password' }), 200);
    })
    .openapi(readSession, async (c) => {
      const session = await accounts.account(c.req.raw.headers);
      setCookies(c, session?.cookies ?? []);
      const state = session === null ? { member: null } : await getSessionState(deps.db, session.viewer.id);
      const { get } = deps.siteSettings;
      return c.json(
        {
          ...state,
          publicReading: get('publicReading'),
          formulas: get('formulas'),
          siteName: get('siteName'),
          logo: get('logo'),
          pages: sitePageNames.filter((name) => get(`${name}Page`) !== ''),
          footerLinks: get('footerLinks').map(parseFooterLink),
          welcomeText: state.member === null ? get('welcomeText') : '',
        },
        200,
      );
    })
    .openapi(signOut, async (c) => {
      setCookies(c, await accounts.signOut(c.req.raw.headers));
      return c.body(null, 204);
    });

  async function begin(c: Context, session: NewSession) {
    await recordSignIn(c, deps, { memberId: session.memberId, method: 'registration' });
    setCookies(c, session.cookies);
    return getSessionState(deps.db, session.memberId);
  }
}

const listSessionsRoute = createRoute({
  method: 'get',
  path: '/sessions',
  summary: "List the member's sessions",
  responses: { 200: jsonResponse(ownSessions, 'Newest first'), ...problemResponses },
});

const revokeSession = createRoute({
  method: 'delete',
  path: '/sessions/{id}',
  summary: 'End a session',
  request: { params: idParam },
  responses: { 204: { description: 'Ended' }, ...problemResponses },
});

const revokeOtherSessions = createRoute({
  method: 'delete',
  path: '/sessions',
  summary: 'End all other sessions',
  responses: { 204: { description: 'Ended' }, ...problemResponses },
});

const changePasswordRoute = createRoute({
  method: 'put',
  path: '/password',
  summary: 'Change the password, and end all other sessions',
  request: { body: jsonBody(passwordChange) },
  responses: { 204: { description: 'Changed' }, ...problemResponses },
});

export function sessionRoutes({ db, changePassword }: AccountDeps) {
  return createRouter()
    .openapi(listSessionsRoute, async (c) => {
      const viewer = c.get('viewer');
      const rows = await listSessions(db, viewer.id);
      const items = rows.map((row) => ({
        id: row.id,
        createdAt: row.created_at.toISOString(),
        lastUsedAt: row.updated_at.toISOString(),
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
    .openapi(revokeOtherSessions, async (c) => {
      await endOtherSessions(db, c.get('viewer'));
      return c.body(null, 204);
    })
    .openapi(changePasswordRoute, async (c) => {
      setCookies(c, await changePassword(c.get('viewer'), c.req.valid('json'), c.req.raw.headers));
      return c.body(null, 204);
    });
}

export function getVisitor(
  c: Context,
  { trustedProxies }: Pick<OperatorSettings, 'trustedProxies'>,
): Visitor {
  return { headers: c.req.raw.headers, networkAddress: getNetworkAddress(c, trustedProxies) };
}

/**
 * Builds the response to a sign-in attempt, and records a successful one.
 * @param outcome.method null if no session has begun
 */
export async function toSignInResponse(
  c: Context,
  deps: RouteDeps,
  outcome: SignInOutcome & { method: SignInMethod | null },
): Promise<SignInState> {
  const { memberId, method } = outcome;
  if (memberId !== null && method !== null) await recordSignIn(c, deps, { memberId, method });
  setCookies(c, outcome.cookies);
  if (memberId === null) return { member: null, needs: 'two-factor' };
  return getSessionState(deps.db, memberId);
}

export function setCookies(c: Context, cookies: readonly string[]): void {
  for (const cookie of cookies) c.header('set-cookie', cookie, { append: true });
}
