import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Database } from '#server/platform/database.ts';
import { answers, json, problems, router, type VisitorEnv } from '#server/platform/http.ts';
import { networkAddress } from '#server/platform/network-address.ts';
import type { Settings } from '#server/platform/settings.ts';
import {
  ownProviderAccount,
  providerAddress,
  providerLink,
  providerReturn,
  providerState,
  providerVisit,
  waysIn,
} from '#shared/providers.ts';
import { proof, signInState } from '#shared/second-factor.ts';
import type { Providers } from './providers.ts';
import { answerSignIn, setCookies } from './routes.ts';

export type ProviderDeps = { db: Database; settings: Settings; providers: Providers };

const readWays = createRoute({
  method: 'get',
  path: '/sign-in',
  summary: 'How one may sign in, besides a password and passkeys',
  responses: { 200: answers(waysIn, 'The identity provider, or null'), ...problems },
});

const begin = createRoute({
  method: 'post',
  path: '/session/provider',
  summary: 'Begin to sign in at the identity provider',
  request: { body: json(providerVisit) },
  responses: { 200: answers(providerAddress, 'Where to send the browser to'), ...problems },
});

const finish = createRoute({
  method: 'post',
  path: '/session/provider/return',
  summary: 'Go on after the identity provider has sent the browser back',
  request: { body: json(providerReturn) },
  responses: { 200: answers(providerState, 'Signed in, linked, or asked for something more'), ...problems },
});

const link = createRoute({
  method: 'post',
  path: '/session/provider/link',
  summary: 'Sign in with the password of the member who has the address, and link the two',
  request: { body: json(providerLink) },
  responses: { 200: answers(signInState, 'Signed in, or asked for a second factor'), ...problems },
});

/** For anybody. */
export function providerVisitorRoutes({ db, settings, providers }: ProviderDeps) {
  return router<VisitorEnv>()
    .openapi(readWays, (c) =>
      c.json({ provider: settings.identityProvider?.name ?? null, profileEmail: settings.profileEmail }, 200),
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
      const state = await answerSignIn(c, db, outcome);
      const needs = email === null ? state.needs : ('password' as const);
      return c.json({ member: state.member, ...(needs && { needs }), linked, email, next }, 200);
    })
    .openapi(link, async (c) => {
      const outcome = await providers.link(c.req.valid('json').password, visitor(c));
      return c.json(await answerSignIn(c, db, outcome), 200);
    });

  function visitor(c: Context) {
    return { headers: c.req.raw.headers, address: networkAddress(c, settings.trustedProxies) };
  }
}

const readOwn = createRoute({
  method: 'get',
  path: '/provider-account',
  summary: 'Whether an account at the identity provider is linked',
  responses: { 200: answers(ownProviderAccount, 'Since when'), ...problems },
});

const beginLinking = createRoute({
  method: 'post',
  path: '/provider-account',
  summary: 'Begin to link an account at the identity provider',
  request: { body: json(proof) },
  responses: { 200: answers(providerAddress, 'Where to send the browser to'), ...problems },
});

const unlink = createRoute({
  method: 'post',
  path: '/provider-account/removal',
  summary: 'Let the account at the identity provider sign in no more',
  request: { body: json(proof) },
  responses: { 204: { description: 'Unlinked' }, ...problems },
});

export function providerRoutes({ providers }: ProviderDeps) {
  return router()
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
