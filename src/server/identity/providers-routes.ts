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
  ownProviderAccounts,
  providerRedirect,
  providerLinkRequest,
  providerCallback,
  providerRegistration,
  providerSignInResult,
  providerSignInRequest,
  signInMethods,
  signInProviderParam,
} from '#shared/identity/sign-in-providers.ts';
import { reauthentication, signInState } from '#shared/identity/two-factor.ts';
import type { Joining } from './joining.ts';
import type { PasswordSignIn } from './password-sign-in.ts';
import type { Providers } from './providers.ts';
import { getVisitor, toSignInResponse, setCookies } from './accounts-routes.ts';

export type ProviderDeps = RouteDeps & {
  passwordSignIn: PasswordSignIn;
  joining: Joining;
  providers: Providers;
};

const readSignInMethods = createRoute({
  method: 'get',
  path: '/sign-in',
  summary: 'Get the sign-in settings of the site',
  responses: {
    200: jsonResponse(signInMethods, 'The identity providers, and whether passwords are on'),
    ...problemResponses,
  },
});

const begin = createRoute({
  method: 'post',
  path: '/session/provider',
  summary: 'Start signing in with an identity provider',
  request: { body: jsonBody(providerSignInRequest) },
  responses: {
    200: jsonResponse(providerRedirect, 'The URL to redirect the browser to'),
    ...problemResponses,
  },
});

const finish = createRoute({
  method: 'post',
  path: '/session/provider/callback',
  summary: 'Continue after the redirect from an identity provider',
  request: { body: jsonBody(providerCallback) },
  responses: {
    200: jsonResponse(providerSignInResult, 'Signed in, linked, or a further step is needed'),
    ...problemResponses,
  },
});

const register = createRoute({
  method: 'post',
  path: '/session/provider/registration',
  summary:
    'Answer the questions of the community after the redirect from the identity provider, and register',
  request: { body: jsonBody(providerRegistration) },
  responses: { 200: jsonResponse(signInState, 'Registered and signed in'), ...problemResponses },
});

const link = createRoute({
  method: 'post',
  path: '/session/provider/link',
  summary:
    "Link the account at an identity provider to an existing member, with the member's password, and sign in",
  request: { body: jsonBody(providerLinkRequest) },
  responses: {
    200: jsonResponse(signInState, 'Signed in, or a two-factor code is needed'),
    ...problemResponses,
  },
});

/** Routes for visitors. */
export function providerVisitorRoutes(deps: ProviderDeps) {
  const { settings, siteSettings, passwordSignIn, joining, providers } = deps;
  return createRouter<VisitorEnv>()
    .openapi(readSignInMethods, async (c) =>
      c.json(
        {
          providers: await providers.list(),
          passwordSignIn: passwordSignIn.isOn(),
          emailVisibility: settings.profileEmail,
          joining: siteSettings.get('joining'),
          signUpQuestions: joining.questions(),
        },
        200,
      ),
    )
    .openapi(begin, async (c) => {
      const { url, cookie } = await providers.begin(c.req.raw.headers, c.req.valid('json'));
      setCookies(c, [cookie]);
      return c.json({ url }, 200);
    })
    .openapi(finish, async (c) => {
      const outcome = await providers.finish(c.req.valid('json'), getVisitor(c, settings));
      const { linked, email, next } = outcome;
      if (outcome.registered && outcome.memberId !== null) c.set('registered', outcome.memberId);
      const method = outcome.registered ? 'registration' : 'provider';
      const state = await toSignInResponse(c, deps, { ...outcome, method: linked ? null : method });
      const needs = outcome.needsAnswers ? 'sign-up-answers' : email === null ? state.needs : 'password';
      return c.json({ ...state, ...(needs && { needs }), linked, email, next }, 200);
    })
    .openapi(register, async (c) => {
      const { signUpAnswers } = c.req.valid('json');
      const outcome = await providers.registerWithAnswers(signUpAnswers, getVisitor(c, settings));
      if (outcome.memberId !== null) c.set('registered', outcome.memberId);
      return c.json(await toSignInResponse(c, deps, { ...outcome, method: 'registration' }), 200);
    })
    .openapi(link, async (c) => {
      const outcome = await providers.link(c.req.valid('json').password, getVisitor(c, settings));
      return c.json(await toSignInResponse(c, deps, { ...outcome, method: 'provider' }), 200);
    });
}

const readOwn = createRoute({
  method: 'get',
  path: '/provider-accounts',
  summary: 'List your linked accounts at identity providers',
  responses: { 200: jsonResponse(ownProviderAccounts, 'When each was linked'), ...problemResponses },
});

const beginLinking = createRoute({
  method: 'post',
  path: '/provider-accounts/{id}',
  summary: 'Start linking an account at an identity provider',
  request: { params: signInProviderParam, body: jsonBody(reauthentication) },
  responses: {
    200: jsonResponse(providerRedirect, 'The URL to redirect the browser to'),
    ...problemResponses,
  },
});

const unlink = createRoute({
  method: 'post',
  path: '/provider-accounts/{id}/removal',
  summary: 'Unlink the account at an identity provider',
  request: { params: signInProviderParam, body: jsonBody(reauthentication) },
  responses: { 204: { description: 'Unlinked' }, ...problemResponses },
});

export function providerRoutes({ providers }: ProviderDeps) {
  return createRouter()
    .openapi(readOwn, async (c) => c.json({ items: await providers.own(c.get('viewer').id) }, 200))
    .openapi(beginLinking, async (c) => {
      const wanted = { provider: c.req.valid('param').id, proof: c.req.valid('json') };
      const { url, cookie } = await providers.beginLinking(c.get('viewer'), wanted, c.req.raw.headers);
      setCookies(c, [cookie]);
      return c.json({ url }, 200);
    })
    .openapi(unlink, async (c) => {
      const wanted = { provider: c.req.valid('param').id, proof: c.req.valid('json') };
      await providers.unlink(c.get('viewer'), wanted);
      return c.body(null, 204);
    });
}
