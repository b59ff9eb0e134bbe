import { emailToken } from '#shared/core/fields.ts';
import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import {
  createRouter,
  jsonBody,
  jsonResponse,
  problemResponses,
  type VisitorEnv,
} from '#server/core/http.ts';
import { getNetworkAddress } from '#server/core/network-address.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import {
  emailChange,
  ownEmail,
  passwordReset,
  passwordResetOptions,
  passwordResetRequest,
} from '#shared/identity/account-recovery.ts';
import type { EmailAddresses } from './email-addresses.ts';
import type { PasswordResets } from './password-resets.ts';

export type AccountRecoveryDeps = {
  settings: SiteSettings;
  passwordResets: PasswordResets;
  emailAddresses: EmailAddresses;
};

const readResetOptions = createRoute({
  method: 'get',
  path: '/password-resets',
  summary: 'Whether a forgotten password is reset by mail, or by whoever runs this Parley',
  responses: { 200: jsonResponse(passwordResetOptions, 'How it is done here'), ...problemResponses },
});

const requestReset = createRoute({
  method: 'post',
  path: '/password-resets',
  summary: 'Mail a link that sets a new password to whoever has an address',
  request: { body: jsonBody(passwordResetRequest) },
  responses: { 202: { description: 'The same whether anybody has the address or not' }, ...problemResponses },
});

const reset = createRoute({
  method: 'post',
  path: '/mail/password',
  summary: 'Set a new password by a link, and end all sessions',
  request: { body: jsonBody(passwordReset) },
  responses: { 204: { description: 'Set' }, ...problemResponses },
});

const confirmEmailChange = createRoute({
  method: 'post',
  path: '/mail/address',
  summary: 'Make an address the member’s, by the link in the mail to it',
  request: { body: jsonBody(emailToken) },
  responses: { 204: { description: 'It is theirs' }, ...problemResponses },
});

const revertEmailChange = createRoute({
  method: 'post',
  path: '/mail/old-address',
  summary: 'Take an address back, by the link in the mail that told of its change, and end all sessions',
  request: { body: jsonBody(emailToken) },
  responses: { 204: { description: 'It is theirs again' }, ...problemResponses },
});

/** What somebody may do who cannot sign in, or opens a link in a mail. */
export function accountRecoveryRoutes({
  settings,
  passwordResets: resets,
  emailAddresses,
}: AccountRecoveryDeps) {
  return createRouter<VisitorEnv>()
    .openapi(readResetOptions, (c) => c.json({ byEmail: resets.isEmailEnabled }, 200))
    .openapi(requestReset, async (c) => {
      await resets.ask(c.req.valid('json').email, network(c));
      return c.body(null, 202);
    })
    .openapi(reset, async (c) => {
      await resets.reset(c.req.valid('json'), network(c));
      return c.body(null, 204);
    })
    .openapi(confirmEmailChange, async (c) => {
      await emailAddresses.confirm(c.req.valid('json').token);
      return c.body(null, 204);
    })
    .openapi(revertEmailChange, async (c) => {
      await emailAddresses.takeBack(c.req.valid('json').token);
      return c.body(null, 204);
    });

  function network(c: Context): string {
    return getNetworkAddress(c, settings.trustedProxies);
  }
}

const readEmail = createRoute({
  method: 'get',
  path: '/address',
  summary: 'The own address, and the one it is to become',
  responses: { 200: jsonResponse(ownEmail, 'As it is now'), ...problemResponses },
});

const changeEmail = createRoute({
  method: 'put',
  path: '/address',
  summary: 'Change the own address; with a mail server, once the link in the mail to it was opened',
  request: { body: jsonBody(emailChange) },
  responses: { 200: jsonResponse(ownEmail, 'As it is now'), ...problemResponses },
});

const cancelEmailChange = createRoute({
  method: 'delete',
  path: '/address/change',
  summary: 'Keep the address that is to be changed',
  responses: { 200: jsonResponse(ownEmail, 'As it is now'), ...problemResponses },
});

export function emailAddressRoutes({ emailAddresses }: Pick<AccountRecoveryDeps, 'emailAddresses'>) {
  return createRouter()
    .openapi(readEmail, async (c) => c.json(await emailAddresses.read(c.get('viewer')), 200))
    .openapi(changeEmail, async (c) => {
      await emailAddresses.change(c.get('viewer'), c.req.valid('json'));
      return c.json(await emailAddresses.read(c.get('viewer')), 200);
    })
    .openapi(cancelEmailChange, async (c) => {
      await emailAddresses.cancel(c.get('viewer'));
      return c.json(await emailAddresses.read(c.get('viewer')), 200);
    });
}
