import { createRoute } from '@hono/zod-openapi';
import type { Database } from '#server/core/database.ts';
import {
  jsonResponse,
  jsonBody,
  problemResponses,
  createRouter,
  type VisitorEnv,
} from '#server/core/http.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import {
  twoFactorCode,
  reauthentication,
  recoveryCodes,
  twoFactorSetup,
  twoFactorActivation,
  twoFactorState,
  signInState,
} from '#shared/identity/two-factor.ts';
import { toSignInResponse, getVisitor } from './accounts-routes.ts';
import type { TwoFactor } from './two-factor.ts';
import type { SignIn } from './sign-in.ts';

export type TwoFactorDeps = {
  db: Database;
  settings: SiteSettings;
  signingIn: SignIn;
  twoFactor: TwoFactor;
};

const submitCode = createRoute({
  method: 'post',
  path: '/session/second-factor',
  summary: 'Sign in with the second factor that was asked for',
  request: { body: jsonBody(twoFactorCode) },
  responses: { 200: jsonResponse(signInState, 'Signed in'), ...problemResponses },
});

/** For who has shown a password, and is not signed in yet. */
export function twoFactorVisitorRoutes({ db, settings, signingIn }: TwoFactorDeps) {
  return createRouter<VisitorEnv>().openapi(submitCode, async (c) => {
    const outcome = await signingIn.withCode(c.req.valid('json').code, getVisitor(c, settings));
    return c.json(await toSignInResponse(c, db, outcome), 200);
  });
}

const readState = createRoute({
  method: 'get',
  path: '/second-factor',
  summary: 'Whether the member has a second factor',
  responses: {
    200: jsonResponse(twoFactorState, 'Since when, and how many recovery codes are left'),
    ...problemResponses,
  },
});

const setUp = createRoute({
  method: 'post',
  path: '/second-factor/setup',
  summary: 'Get a key for an authenticator app; nothing changes yet',
  request: { body: jsonBody(reauthentication) },
  responses: { 200: jsonResponse(twoFactorSetup, 'The key'), ...problemResponses },
});

const enable = createRoute({
  method: 'put',
  path: '/second-factor',
  summary: 'Ask for a second factor from now on, and end all other sessions',
  request: { body: jsonBody(twoFactorActivation) },
  responses: { 200: jsonResponse(recoveryCodes, 'Recovery codes, told this once'), ...problemResponses },
});

const renewCodes = createRoute({
  method: 'post',
  path: '/second-factor/recovery-codes',
  summary: 'Get recovery codes in the place of those before',
  request: { body: jsonBody(reauthentication) },
  responses: { 200: jsonResponse(recoveryCodes, 'Told this once'), ...problemResponses },
});

const disable = createRoute({
  method: 'post',
  path: '/second-factor/removal',
  summary: 'Ask for no second factor any more',
  request: { body: jsonBody(reauthentication) },
  responses: { 204: { description: 'Switched off' }, ...problemResponses },
});

export function twoFactorRoutes({ twoFactor }: TwoFactorDeps) {
  return createRouter()
    .openapi(readState, async (c) => c.json(await twoFactor.state(c.get('viewer').id), 200))
    .openapi(setUp, async (c) => c.json(await twoFactor.setUp(c.get('viewer'), c.req.valid('json')), 200))
    .openapi(enable, async (c) => {
      const codes = await twoFactor.switchOn(c.get('viewer'), c.req.valid('json'));
      return c.json({ recoveryCodes: codes }, 200);
    })
    .openapi(renewCodes, async (c) => {
      const codes = await twoFactor.renewCodes(c.get('viewer'), c.req.valid('json'));
      return c.json({ recoveryCodes: codes }, 200);
    })
    .openapi(disable, async (c) => {
      await twoFactor.switchOff(c.get('viewer'), c.req.valid('json'));
      return c.body(null, 204);
    });
}
