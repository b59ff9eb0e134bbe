import { createRoute } from '@hono/zod-openapi';
import type { Database } from '#server/platform/database.ts';
import { answers, json, problems, router, type VisitorEnv } from '#server/platform/http.ts';
import type { Settings } from '#server/platform/settings.ts';
import {
  codeForm,
  proof,
  recoveryCodes,
  secondFactorSetup,
  secondFactorStart,
  secondFactorState,
  signInState,
} from '#shared/second-factor.ts';
import { answerSignIn, visitorOf } from './routes.ts';
import type { SecondFactor } from './second-factor.ts';
import type { SigningIn } from './signing-in.ts';

export type SecondFactorDeps = {
  db: Database;
  settings: Settings;
  signingIn: SigningIn;
  secondFactor: SecondFactor;
};

const sendCode = createRoute({
  method: 'post',
  path: '/session/second-factor',
  summary: 'Sign in with the second factor that was asked for',
  request: { body: json(codeForm) },
  responses: { 200: answers(signInState, 'Signed in'), ...problems },
});

/** For who has shown a password, and is not signed in yet. */
export function secondFactorVisitorRoutes({ db, settings, signingIn }: SecondFactorDeps) {
  return router<VisitorEnv>().openapi(sendCode, async (c) => {
    const outcome = await signingIn.withCode(c.req.valid('json').code, visitorOf(c, settings));
    return c.json(await answerSignIn(c, db, outcome), 200);
  });
}

const readState = createRoute({
  method: 'get',
  path: '/second-factor',
  summary: 'Whether the member has a second factor',
  responses: {
    200: answers(secondFactorState, 'Since when, and how many recovery codes are left'),
    ...problems,
  },
});

const setUp = createRoute({
  method: 'post',
  path: '/second-factor/setup',
  summary: 'Get a key for an authenticator app; nothing changes yet',
  request: { body: json(proof) },
  responses: { 200: answers(secondFactorSetup, 'The key'), ...problems },
});

const switchOn = createRoute({
  method: 'put',
  path: '/second-factor',
  summary: 'Ask for a second factor from now on, and end all other sessions',
  request: { body: json(secondFactorStart) },
  responses: { 200: answers(recoveryCodes, 'Recovery codes, told this once'), ...problems },
});

const renewCodes = createRoute({
  method: 'post',
  path: '/second-factor/recovery-codes',
  summary: 'Get recovery codes in the place of those before',
  request: { body: json(proof) },
  responses: { 200: answers(recoveryCodes, 'Told this once'), ...problems },
});

const switchOff = createRoute({
  method: 'post',
  path: '/second-factor/removal',
  summary: 'Ask for no second factor any more',
  request: { body: json(proof) },
  responses: { 204: { description: 'Switched off' }, ...problems },
});

export function secondFactorRoutes({ secondFactor }: SecondFactorDeps) {
  return router()
    .openapi(readState, async (c) => c.json(await secondFactor.state(c.get('viewer').id), 200))
    .openapi(setUp, async (c) => c.json(await secondFactor.setUp(c.get('viewer'), c.req.valid('json')), 200))
    .openapi(switchOn, async (c) => {
      const codes = await secondFactor.switchOn(c.get('viewer'), c.req.valid('json'));
      return c.json({ recoveryCodes: codes }, 200);
    })
    .openapi(renewCodes, async (c) => {
      const codes = await secondFactor.renewCodes(c.get('viewer'), c.req.valid('json'));
      return c.json({ recoveryCodes: codes }, 200);
    })
    .openapi(switchOff, async (c) => {
      await secondFactor.switchOff(c.get('viewer'), c.req.valid('json'));
      return c.body(null, 204);
    });
}
