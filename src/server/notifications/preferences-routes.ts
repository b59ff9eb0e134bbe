import { emailToken } from '#shared/core/fields.ts';
import { createRoute, z } from '@hono/zod-openapi';
import { Hono } from 'hono';
import {
  createRouter,
  jsonBody,
  jsonResponse,
  problemResponses,
  type VisitorEnv,
} from '#server/core/http.ts';
import {
  notificationCategory,
  notificationPreferenceChange,
  notificationPreferences,
  pushSubscription,
  unsubscribeScope,
} from '#shared/notifications/preferences.ts';
import type { PushSubscriptions } from './push.ts';
import type { NotificationPreferences } from './preferences.ts';

export type NotificationPreferenceRoutesDeps = {
  preferences: NotificationPreferences;
  pushSubscriptions: PushSubscriptions;
};

const read = createRoute({
  method: 'get',
  path: '/notification-settings',
  summary: 'What the member hears of, and by which ways',
  responses: {
    200: jsonResponse(notificationPreferences, 'Every choice, also those not made yet'),
    ...problemResponses,
  },
});

const updatePreference = createRoute({
  method: 'put',
  path: '/notification-settings/{category}',
  summary: 'Choose how to hear of something',
  request: {
    params: z.object({ category: notificationCategory }),
    body: jsonBody(notificationPreferenceChange),
  },
  responses: {
    200: jsonResponse(notificationPreferences, 'All choices as they are now'),
    ...problemResponses,
  },
});

const sendConfirmation = createRoute({
  method: 'post',
  path: '/notification-settings/confirmation',
  summary: 'Send the mail again that asks whether the address is the member’s',
  responses: { 204: { description: 'On its way' }, ...problemResponses },
});

const subscribePush = createRoute({
  method: 'put',
  path: '/push-subscription',
  summary: 'Push to this browser, until its session ends',
  request: { body: jsonBody(pushSubscription) },
  responses: { 200: jsonResponse(notificationPreferences, 'Subscribed'), ...problemResponses },
});

const unsubscribePush = createRoute({
  method: 'delete',
  path: '/push-subscription',
  summary: 'Push to this browser no more',
  responses: { 200: jsonResponse(notificationPreferences, 'Not subscribed'), ...problemResponses },
});

export function notificationPreferenceRoutes({
  preferences,
  pushSubscriptions,
}: NotificationPreferenceRoutesDeps) {
  return createRouter()
    .openapi(read, async (c) => c.json(await getSettings(c.get('viewer')), 200))
    .openapi(sendConfirmation, async (c) => {
      await preferences.sendConfirmation(c.get('viewer'));
      return c.body(null, 204);
    })
    .openapi(updatePreference, async (c) => {
      const viewer = c.get('viewer');
      await preferences.choose(viewer, c.req.valid('param').category, c.req.valid('json'));
      return c.json(await getSettings(viewer), 200);
    })
    .openapi(subscribePush, async (c) => {
      await pushSubscriptions.subscribe(c.get('viewer'), c.req.valid('json'));
      return c.json(await getSettings(c.get('viewer')), 200);
    })
    .openapi(unsubscribePush, async (c) => {
      await pushSubscriptions.unsubscribe(c.get('viewer'));
      return c.json(await getSettings(c.get('viewer')), 200);
    });

  async function getSettings(viewer: Parameters<NotificationPreferences['read']>[0]) {
    const [mine, isPushed] = await Promise.all([
      preferences.read(viewer),
      pushSubscriptions.isSubscribed(viewer),
    ]);
    return { ...mine, pushKey: pushSubscriptions.publicKey, isPushEnabledHere: isPushed };
  }
}

const unsubscribeEmail = createRoute({
  method: 'post',
  path: '/mail/unsubscribe',
  summary: 'End the mails that a link in one of them names',
  request: { body: jsonBody(emailToken) },
  responses: {
    200: jsonResponse(z.object({ scope: unsubscribeScope }), 'These mails come no more'),
    ...problemResponses,
  },
});

const confirmEmail = createRoute({
  method: 'post',
  path: '/mail/confirmation',
  summary: 'Confirm an address, by the link in the mail to it',
  request: { body: jsonBody(emailToken) },
  responses: { 204: { description: 'Confirmed' }, ...problemResponses },
});

/** What the links in mails lead to: they work signed out, on any device. */
export function emailLinkRoutes({ preferences }: Pick<NotificationPreferenceRoutesDeps, 'preferences'>) {
  return createRouter<VisitorEnv>()
    .openapi(unsubscribeEmail, async (c) =>
      c.json({ scope: await preferences.unsubscribe(c.req.valid('json').token) }, 200),
    )
    .openapi(confirmEmail, async (c) => {
      await preferences.confirm(c.req.valid('json').token);
      return c.body(null, 204);
    });
}

/**
 * Unsubscribing by a mail program, which posts to the address of the page without asking anybody further (RFC 8058).
 * The page itself, with a button, is part of the browser's.
 */
export function oneClickUnsubscribeRoutes({
  preferences,
}: Pick<NotificationPreferenceRoutesDeps, 'preferences'>): Hono {
  return new Hono().post('/unsubscribe/:token', async (c) => {
    await preferences.unsubscribe(c.req.param('token'));
    return c.text('These mails come no more.\n', 200, { 'cache-control': 'no-store' });
  });
}
