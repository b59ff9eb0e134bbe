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
  path: '/notification-preferences',
  summary: "The viewer's notification preferences",
  responses: {
    200: jsonResponse(notificationPreferences, 'All preferences, including defaults'),
    ...problemResponses,
  },
});

const updatePreference = createRoute({
  method: 'put',
  path: '/notification-preferences/{category}',
  summary: 'Change the notification preferences of a category',
  request: {
    params: z.object({ category: notificationCategory }),
    body: jsonBody(notificationPreferenceChange),
  },
  responses: {
    200: jsonResponse(notificationPreferences, 'All preferences after the change'),
    ...problemResponses,
  },
});

const sendConfirmation = createRoute({
  method: 'post',
  path: '/notification-preferences/confirmation',
  summary: 'Send the confirmation email again',
  responses: { 204: { description: 'Queued' }, ...problemResponses },
});

const subscribePush = createRoute({
  method: 'put',
  path: '/push-subscription',
  summary: 'Enable push for this browser until its session ends',
  request: { body: jsonBody(pushSubscription) },
  responses: { 200: jsonResponse(notificationPreferences, 'Subscribed'), ...problemResponses },
});

const unsubscribePush = createRoute({
  method: 'delete',
  path: '/push-subscription',
  summary: 'Disable push for this browser',
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
      await preferences.update(viewer, c.req.valid('param').category, c.req.valid('json'));
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
    const [own, isPushed] = await Promise.all([
      preferences.read(viewer),
      pushSubscriptions.isSubscribed(viewer),
    ]);
    return { ...own, pushKey: pushSubscriptions.publicKey, isPushEnabledHere: isPushed };
  }
}

const unsubscribeEmail = createRoute({
  method: 'post',
  path: '/email/unsubscribe',
  summary: 'Unsubscribe by the link in an email',
  request: { body: jsonBody(emailToken) },
  responses: {
    200: jsonResponse(z.object({ scope: unsubscribeScope }), 'Unsubscribed'),
    ...problemResponses,
  },
});

const confirmEmail = createRoute({
  method: 'post',
  path: '/email/confirmation',
  summary: 'Confirm an email address by the link in the confirmation email',
  request: { body: jsonBody(emailToken) },
  responses: { 204: { description: 'Confirmed' }, ...problemResponses },
});

/** The targets of links in emails. They work without a session, on any device. */
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
 * One-click unsubscribe (RFC 8058): the email program posts to the page's URL without further questions. The page with
 * the button is part of the web app.
 */
export function oneClickUnsubscribeRoutes({
  preferences,
}: Pick<NotificationPreferenceRoutesDeps, 'preferences'>): Hono {
  return new Hono().post('/unsubscribe/:token', async (c) => {
    await preferences.unsubscribe(c.req.param('token'));
    return c.text('You are unsubscribed from these emails.\n', 200, { 'cache-control': 'no-store' });
  });
}
