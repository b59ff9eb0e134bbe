import { createRoute } from '@hono/zod-openapi';
import {
  jsonResponse,
  jsonBody,
  problemResponses,
  createRouter,
  type RouteDeps,
  type VisitorEnv,
} from '#server/core/http.ts';
import { idParam } from '#shared/core/fields.ts';
import {
  newPasskey,
  passkey,
  passkeyOptions,
  passkeyRename,
  passkeys as passkeyList,
  passkeySignIn,
} from '#shared/identity/passkeys.ts';
import { reauthentication, signInState } from '#shared/identity/two-factor.ts';
import type { Passkeys } from './passkeys.ts';
import { toSignInResponse, setCookies } from './accounts-routes.ts';

export type PasskeyDeps = RouteDeps & { passkeys: Passkeys };

const signInOptions = createRoute({
  method: 'post',
  path: '/session/passkey/options',
  summary: 'Get the options for signing in with a passkey',
  responses: {
    200: jsonResponse(passkeyOptions, 'PublicKeyCredentialRequestOptionsJSON of WebAuthn'),
    ...problemResponses,
  },
});

const signIn = createRoute({
  method: 'post',
  path: '/session/passkey',
  summary: 'Sign in with a passkey',
  request: { body: jsonBody(passkeySignIn) },
  responses: { 200: jsonResponse(signInState, 'Signed in'), ...problemResponses },
});

/** Routes for visitors. */
export function passkeyVisitorRoutes(deps: PasskeyDeps) {
  const { passkeys } = deps;
  return createRouter<VisitorEnv>()
    .openapi(signInOptions, async (c) => {
      const { options, cookie } = await passkeys.askToSignIn(c.req.raw.headers);
      setCookies(c, [cookie]);
      return c.json({ ...options }, 200);
    })
    .openapi(signIn, async (c) => {
      const outcome = await passkeys.signIn(c.req.valid('json').credential, c.req.raw.headers);
      return c.json(await toSignInResponse(c, deps, { ...outcome, method: 'passkey' }), 200);
    });
}

const list = createRoute({
  method: 'get',
  path: '/passkeys',
  summary: "List the member's passkeys",
  responses: { 200: jsonResponse(passkeyList, 'Oldest first'), ...problemResponses },
});

const registrationOptions = createRoute({
  method: 'post',
  path: '/passkeys/options',
  summary: 'Get the options for creating a passkey',
  request: { body: jsonBody(reauthentication) },
  responses: {
    200: jsonResponse(passkeyOptions, 'PublicKeyCredentialCreationOptionsJSON of WebAuthn'),
    ...problemResponses,
  },
});

const add = createRoute({
  method: 'post',
  path: '/passkeys',
  summary: 'Add a passkey',
  request: { body: jsonBody(newPasskey) },
  responses: { 201: jsonResponse(passkey, 'Added'), ...problemResponses },
});

const rename = createRoute({
  method: 'put',
  path: '/passkeys/{id}',
  summary: 'Rename a passkey',
  request: { params: idParam, body: jsonBody(passkeyRename) },
  responses: { 200: jsonResponse(passkey, 'Renamed'), ...problemResponses },
});

const remove = createRoute({
  method: 'post',
  path: '/passkeys/{id}/removal',
  summary: 'Remove a passkey',
  request: { params: idParam, body: jsonBody(reauthentication) },
  responses: { 204: { description: 'Removed' }, ...problemResponses },
});

export function passkeyRoutes({ passkeys }: PasskeyDeps) {
  return createRouter()
    .openapi(list, async (c) => c.json({ items: await passkeys.list(c.get('viewer').id) }, 200))
    .openapi(registrationOptions, async (c) => {
      const proven = c.req.valid('json');
      const { options, cookie } = await passkeys.askToAdd(c.get('viewer'), proven, c.req.raw.headers);
      setCookies(c, [cookie]);
      return c.json({ ...options }, 200);
    })
    .openapi(add, async (c) => {
      const added = await passkeys.add(c.get('viewer'), c.req.valid('json'), c.req.raw.headers);
      setCookies(c, [added.cookie]);
      return c.json(added.passkey, 201);
    })
    .openapi(rename, async (c) => {
      const { id } = c.req.valid('param');
      return c.json(await passkeys.rename(c.get('viewer'), id, c.req.valid('json').name), 200);
    })
    .openapi(remove, async (c) => {
      await passkeys.remove(c.get('viewer'), c.req.valid('param').id, c.req.valid('json'));
      return c.body(null, 204);
    });
}
