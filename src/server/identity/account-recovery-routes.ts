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
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import {
  emailChange,
  emailDelivery,
  languageChoice,
  ownEmail,
  passwordReset,
  passwordResetOptions,
  passwordResetRequest,
  passwordResetResult,
} from '#shared/identity/account-recovery.ts';
import type { EmailAddresses } from './email-addresses.ts';
import type { PasswordResets } from './password-resets.ts';

export type AccountRecoveryDeps = {
  settings: OperatorSettings;
  passwordResets: PasswordResets;
  emailAddresses: EmailAddresses;
};

const readResetOptions = createRoute({
  method: 'get',
  path: '/password-resets',
  summary: 'Check whether passwords are reset by email or by the operator',
  responses: { 200: jsonResponse(passwordResetOptions, 'How it works on this site'), ...problemResponses },
});

const requestReset = createRoute({
  method: 'post',
  path: '/password-resets',
  summary: 'Email a password reset link to an address',
  request: { body: jsonBody(passwordResetRequest) },
  responses: { 202: { description: 'The same whether or not the address exists' }, ...problemResponses },
});

const reset = createRoute({
  method: 'post',
  path: '/email/password-reset',
  summary: 'Set a new password with an emailed link, and end all sessions',
  request: { body: jsonBody(passwordReset) },
  responses: { 200: jsonResponse(passwordResetResult, 'What still signs in'), ...problemResponses },
});

const confirmEmailChange = createRoute({
  method: 'post',
  path: '/email/change',
  summary: 'Confirm a new email address with an emailed link',
  request: { body: jsonBody(emailToken) },
  responses: { 204: { description: 'Confirmed' }, ...problemResponses },
});

const revertEmailChange = createRoute({
  method: 'post',
  path: '/email/revert',
  summary: 'Restore the previous email address with an emailed link, and end all sessions',
  request: { body: jsonBody(emailToken) },
  responses: { 204: { description: 'Restored' }, ...problemResponses },
});

/** Routes for visitors who cannot sign in, or who open a link in an email. */
export function accountRecoveryRoutes({
  settings,
  passwordResets: resets,
  emailAddresses,
}: AccountRecoveryDeps) {
  return createRouter<VisitorEnv>()
    .openapi(readResetOptions, (c) => c.json({ byEmail: resets.isEmailEnabled }, 200))
    .openapi(requestReset, async (c) => {
      await resets.request(c.req.valid('json').email, network(c));
      return c.body(null, 202);
    })
    .openapi(reset, async (c) => c.json(await resets.reset(c.req.valid('json'), network(c)), 200))
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
  path: '/email-address',
  summary: "Get the member's email address and a pending change",
  responses: { 200: jsonResponse(ownEmail, 'The current state'), ...problemResponses },
});

const changeEmail = createRoute({
  method: 'put',
  path: '/email-address',
  summary: 'Change the email address; with a mail server, after confirmation',
  request: { body: jsonBody(emailChange) },
  responses: { 200: jsonResponse(ownEmail, 'The current state'), ...problemResponses },
});

const changeLanguage = createRoute({
  method: 'put',
  path: '/email-address/language',
  summary: 'Choose the language of emails and push messages',
  request: { body: jsonBody(languageChoice) },
  responses: { 200: jsonResponse(ownEmail, 'The current state'), ...problemResponses },
});

const switchEmailsOn = createRoute({
  method: 'put',
  path: '/email-address/delivery',
  summary: 'Send emails again after some came back',
  request: { body: jsonBody(emailDelivery) },
  responses: { 200: jsonResponse(ownEmail, 'The current state'), ...problemResponses },
});

const cancelEmailChange = createRoute({
  method: 'delete',
  path: '/email-address/change',
  summary: 'Cancel a pending change of email address',
  responses: { 200: jsonResponse(ownEmail, 'The current state'), ...problemResponses },
});

export function emailAddressRoutes({ emailAddresses }: Pick<AccountRecoveryDeps, 'emailAddresses'>) {
  return createRouter()
    .openapi(readEmail, async (c) => c.json(await emailAddresses.read(c.get('viewer')), 200))
    .openapi(changeEmail, async (c) => {
      await emailAddresses.change(c.get('viewer'), c.req.valid('json'));
      return c.json(await emailAddresses.read(c.get('viewer')), 200);
    })
    .openapi(switchEmailsOn, async (c) => {
      await emailAddresses.switchOn(c.get('viewer'));
      return c.json(await emailAddresses.read(c.get('viewer')), 200);
    })
    .openapi(changeLanguage, async (c) => {
      await emailAddresses.changeLanguage(c.get('viewer'), c.req.valid('json').language);
      return c.json(await emailAddresses.read(c.get('viewer')), 200);
    })
    .openapi(cancelEmailChange, async (c) => {
      await emailAddresses.cancel(c.get('viewer'));
      return c.json(await emailAddresses.read(c.get('viewer')), 200);
    });
}
