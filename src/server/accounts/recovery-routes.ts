import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { answers, json, problems, router, type VisitorEnv } from '#server/platform/http.ts';
import { networkAddress } from '#server/platform/network-address.ts';
import type { Settings } from '#server/platform/settings.ts';
import { mailToken } from '#shared/notification-settings.ts';
import { addressChange, newPassword, ownAddress, resetRequest, resetting } from '#shared/recovery.ts';
import type { Addresses } from './address.ts';
import type { Resetting } from './reset.ts';

export type RecoveryDeps = { settings: Settings; resetting: Resetting; addresses: Addresses };

const readResetting = createRoute({
  method: 'get',
  path: '/password-resets',
  summary: 'Whether a forgotten password is reset by mail, or by whoever runs this Parley',
  responses: { 200: answers(resetting, 'How it is done here'), ...problems },
});

const askReset = createRoute({
  method: 'post',
  path: '/password-resets',
  summary: 'Mail a link that sets a new password to whoever has an address',
  request: { body: json(resetRequest) },
  responses: { 202: { description: 'The same whether anybody has the address or not' }, ...problems },
});

const reset = createRoute({
  method: 'post',
  path: '/mail/password',
  summary: 'Set a new password by a link, and end all sessions',
  request: { body: json(newPassword) },
  responses: { 204: { description: 'Set' }, ...problems },
});

const confirmAddress = createRoute({
  method: 'post',
  path: '/mail/address',
  summary: 'Make an address the member’s, by the link in the mail to it',
  request: { body: json(mailToken) },
  responses: { 204: { description: 'It is theirs' }, ...problems },
});

const takeBack = createRoute({
  method: 'post',
  path: '/mail/old-address',
  summary: 'Take an address back, by the link in the mail that told of its change, and end all sessions',
  request: { body: json(mailToken) },
  responses: { 204: { description: 'It is theirs again' }, ...problems },
});

/** What somebody may do who cannot sign in, or opens a link in a mail. */
export function recoveryRoutes({ settings, resetting: resets, addresses }: RecoveryDeps) {
  return router<VisitorEnv>()
    .openapi(readResetting, (c) => c.json({ byMail: resets.isMailed }, 200))
    .openapi(askReset, async (c) => {
      await resets.ask(c.req.valid('json').email, network(c));
      return c.body(null, 202);
    })
    .openapi(reset, async (c) => {
      await resets.reset(c.req.valid('json'), network(c));
      return c.body(null, 204);
    })
    .openapi(confirmAddress, async (c) => {
      await addresses.confirm(c.req.valid('json').token);
      return c.body(null, 204);
    })
    .openapi(takeBack, async (c) => {
      await addresses.takeBack(c.req.valid('json').token);
      return c.body(null, 204);
    });

  function network(c: Context): string {
    return networkAddress(c, settings.trustedProxies);
  }
}

const readAddress = createRoute({
  method: 'get',
  path: '/address',
  summary: 'The own address, and the one it is to become',
  responses: { 200: answers(ownAddress, 'As it is now'), ...problems },
});

const changeAddress = createRoute({
  method: 'put',
  path: '/address',
  summary: 'Change the own address; with a mail server, once the link in the mail to it was opened',
  request: { body: json(addressChange) },
  responses: { 200: answers(ownAddress, 'As it is now'), ...problems },
});

const cancelChange = createRoute({
  method: 'delete',
  path: '/address/change',
  summary: 'Keep the address that is to be changed',
  responses: { 200: answers(ownAddress, 'As it is now'), ...problems },
});

export function addressRoutes({ addresses }: Pick<RecoveryDeps, 'addresses'>) {
  return router()
    .openapi(readAddress, async (c) => c.json(await addresses.read(c.get('viewer')), 200))
    .openapi(changeAddress, async (c) => {
      await addresses.change(c.get('viewer'), c.req.valid('json'));
      return c.json(await addresses.read(c.get('viewer')), 200);
    })
    .openapi(cancelChange, async (c) => {
      await addresses.cancel(c.get('viewer'));
      return c.json(await addresses.read(c.get('viewer')), 200);
    });
}
