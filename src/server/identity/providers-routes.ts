import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Database } from '#server/core/database.ts';
import {
  jsonResponse,
  jsonBody,
  problemResponses,
  createRouter,
  type VisitorEnv,
} from '#server/core/http.ts';
import { getNetworkAddress } from '#server/core/network-address.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import {
  ownProviderAccount,
  providerRedirect,
  providerLinkRequest,
  providerCallback,
  providerSignInResult,
  providerSignInRequest,
  signInMethods,
} from '#shared/identity/sign-in-providers.ts';
import { reauthentication, signInState } from '#shared/identity/two-factor.ts';
import type { Providers } from './providers.ts';
import { toSignInResponse, setCookies } from './accounts-routes.ts';

export type ProviderDeps = { db: Database; settings: SiteSettings; providers: Providers };

const readSignInMethods = createRoute({
  method: 'get',
  path: '/sign-in',
  summary: 'How one may sign in, besides a password and passkeys',
  responses: { 200: jsonResponse(signInMethods, 'The identity provider, or null'), ...problemResponses },
});

const begin = createRoute({
  method: 'post',
  path: '/session/provider',
  summary: 'Begin to sign in at the identity provider',
  request: { body: jsonBody(providerSignInRequest) },
  responses: { 200: jsonResponse(providerRedirect, 'Where to send the browser to'), ...problemResponses },
});

const finish = createRoute({
  method: 'post',
  path: '/session/provider/return',
  summary: 'Go on after the identity provider has sent the browser back',
  request: { body: jsonBody(providerCallback) },
  responses: {
    200: jsonResponse(providerSignInResult, 'Signed in, linked, or asked for something more'),
    ...problemResponses,
  },
});

const link = createRoute({
  method: 'post',
  path: '/session/provider/link',
  summary: 'Sign in with the password of the member who has the address, and link the two',
  request: { body: jsonBody(providerLinkRequest) },
  responses: {
    200: jsonResponse(signInState, 'Signed in, or asked for a second factor'),
    ...problemResponses,
  },
});

/** For anybody. */
export function providerVisitorRoutes({ db, settings, providers }: ProviderDeps) {
  return createRouter<VisitorEnv>()
    .openapi(readSignInMethods, (c) =>
      c.json(
        { provider: settings.identityProvider?.name ?? null, emailVisibility: settings.profileEmail },
        200,
      ),
    )
    .openapi(begin, async (c) => {
      const next = c.req.valid('json').next ?? null;
      const { url, cookie } = await providers.begin(c.req.raw.headers, { next });
      setCookies(c, [cookie]);
      return c.json({ url }, 200);
    })
    .openapi(finish, async (c) => {
      const outcome = await providers.finish(c.req.valid('json').query, visitor(c));
      const { linked, email, next } = outcome;
      if (outcome.registered && outcome.memberId !== null) c.set('registered', outcome.memberId);
      const state = await toSignInResponse(c, db, outcome);
      const needs = email === null ? state.needs : ('password' as const);
      return c.json({ member: state.member, ...(needs && { needs }), linked, email, next }, 200);
    })
    .openapi(link, async (c) => {
      const outcome = await providers.link(c.req.valid('json').password, visitor(c));
      return c.json(await toSignInResponse(c, db, outcome), 200);
    });

  function visitor(c: Context) {
    return { headers: c.req.raw.headers, networkAddress: getNetworkAddress(c, settings.trustedProxies) };
  }
}

const readOwn = createRoute({
  method: 'get',
  path: '/provider-account',
  summary: 'Whether an account at the identity provider is linked',
  responses: { 200: jsonResponse(ownProviderAccount, 'Since when'), ...problemResponses },
});

const beginLinking = createRoute({
  method: 'post',
  path: '/provider-account',
  summary: 'Begin to link an account at the identity provider',
  request: { body: jsonBody(reauthentication) },
  responses: { 200: jsonResponse(providerRedirect, 'Where to send the browser to'), ...problemResponses },
});

const unlink = createRoute({
  method: 'post',
  path: '/provider-account/removal',
  summary: 'Let the account at the identity provider sign in no more',
  request: { body: jsonBody(reauthentication) },
  responses: { 204: { description: 'Unlinked' }, ...problemResponses },
});

export function providerRoutes({ providers }: ProviderDeps) {
  return createRouter()
    .openapi(readOwn, async (c) => c.json(await providers.own(c.get('viewer').id), 200))
    .openapi(beginLinking, async (c) => {
      const proven = c.req.valid('json');
      const { url, cookie } = await providers.beginLinking(c.get('viewer'), proven, c.req.raw.headers);
      setCookies(c, [cookie]);
      return c.json({ url }, 200);
    })
    .openapi(unlink, async (c) => {
      await providers.unlink(c.get('viewer'), c.req.valid('json'));
      return c.body(null, 204);
    });
}
