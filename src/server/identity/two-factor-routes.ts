import { createRoute } from '@hono/zod-openapi';
import {
  jsonResponse,
  jsonBody,
  problemResponses,
  createRouter,
  type RouteDeps,
  type VisitorEnv,
} from '#server/core/http.ts';
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

export type TwoFactorDeps = RouteDeps & {
  signingIn: SignIn;
  twoFactor: TwoFactor;
};

const submitCode = createRoute({
  method: 'post',
  path: '/session/two-factor',
  summary: 'Complete a sign-in with a two-factor code',
  request: { body: jsonBody(twoFactorCode) },
  responses: { 200: jsonResponse(signInState, 'Signed in'), ...problemResponses },
});

/** Routes for members who have entered their password and are not signed in yet. */
export function twoFactorVisitorRoutes(deps: TwoFactorDeps) {
  const { settings, signingIn } = deps;
  return createRouter<VisitorEnv>().openapi(submitCode, async (c) => {
    const outcome = await signingIn.withCode(c.req.valid('json').code, getVisitor(c, settings));
    return c.json(await toSignInResponse(c, deps, { ...outcome, method: 'two_factor' }), 200);
  });
}

const readState = createRoute({
  method: 'get',
  path: '/two-factor',
  summary: 'Get the state of two-factor authentication',
  responses: {
    200: jsonResponse(twoFactorState, 'When it was enabled, and the number of recovery codes left'),
    ...problemResponses,
  },
});

const setUp = createRoute({
  method: 'post',
  path: '/two-factor/setup',
  summary: 'Create a key for an authenticator app; nothing changes yet',
  request: { body: jsonBody(reauthentication) },
  responses: { 200: jsonResponse(twoFactorSetup, 'The key'), ...problemResponses },
});

const enable = createRoute({
  method: 'put',
  path: '/two-factor',
  summary: 'Turn on two-factor authentication, and end all other sessions',
  request: { body: jsonBody(twoFactorActivation) },
  responses: { 200: jsonResponse(recoveryCodes, 'Recovery codes, shown only once'), ...problemResponses },
});

const renewCodes = createRoute({
  method: 'post',
  path: '/two-factor/recovery-codes',
  summary: 'Replace the recovery codes',
  request: { body: jsonBody(reauthentication) },
  responses: { 200: jsonResponse(recoveryCodes, 'Shown only once'), ...problemResponses },
});

const disable = createRoute({
  method: 'post',
  path: '/two-factor/removal',
  summary: 'Turn off two-factor authentication',
  request: { body: jsonBody(reauthentication) },
  responses: { 204: { description: 'Turned off' }, ...problemResponses },
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
