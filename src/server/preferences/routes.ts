import { createRoute, z } from '@hono/zod-openapi';
import { Hono } from 'hono';
import { answers, json, problems, router, type VisitorEnv } from '#server/platform/http.ts';
import {
  mailScope,
  mailToken,
  notificationAbout,
  notificationChoiceChange,
  notificationSettings,
  pushDevice,
} from '#shared/notification-settings.ts';
import type { Pushing } from '#server/pushing/pushing.ts';
import type { Preferences } from './preferences.ts';

export type PreferenceRoutesDeps = { preferences: Preferences; pushing: Pushing };

const read = createRoute({
  method: 'get',
  path: '/notification-settings',
  summary: 'What the member hears of, and by which ways',
  responses: { 200: answers(notificationSettings, 'Every choice, also those not made yet'), ...problems },
});

const choose = createRoute({
  method: 'put',
  path: '/notification-settings/{about}',
  summary: 'Choose how to hear of something',
  request: { params: z.object({ about: notificationAbout }), body: json(notificationChoiceChange) },
  responses: { 200: answers(notificationSettings, 'All choices as they are now'), ...problems },
});

const sendConfirmation = createRoute({
  method: 'post',
  path: '/notification-settings/confirmation',
  summary: 'Send the mail again that asks whether the address is the member’s',
  responses: { 204: { description: 'On its way' }, ...problems },
});

const subscribe = createRoute({
  method: 'put',
  path: '/push-subscription',
  summary: 'Push to this browser, until its session ends',
  request: { body: json(pushDevice) },
  responses: { 200: answers(notificationSettings, 'Subscribed'), ...problems },
});

const unsubscribePush = createRoute({
  method: 'delete',
  path: '/push-subscription',
  summary: 'Push to this browser no more',
  responses: { 200: answers(notificationSettings, 'Not subscribed'), ...problems },
});

export function preferenceRoutes({ preferences, pushing }: PreferenceRoutesDeps) {
  return router()
    .openapi(read, async (c) => c.json(await settingsOf(c.get('viewer')), 200))
    .openapi(sendConfirmation, async (c) => {
      await preferences.sendConfirmation(c.get('viewer'));
      return c.body(null, 204);
    })
    .openapi(choose, async (c) => {
      const viewer = c.get('viewer');
      await preferences.choose(viewer, c.req.valid('param').about, c.req.valid('json'));
      return c.json(await settingsOf(viewer), 200);
    })
    .openapi(subscribe, async (c) => {
      await pushing.subscribe(c.get('viewer'), c.req.valid('json'));
      return c.json(await settingsOf(c.get('viewer')), 200);
    })
    .openapi(unsubscribePush, async (c) => {
      await pushing.unsubscribe(c.get('viewer'));
      return c.json(await settingsOf(c.get('viewer')), 200);
    });

  async function settingsOf(viewer: Parameters<Preferences['read']>[0]) {
    const [mine, isPushed] = await Promise.all([preferences.read(viewer), pushing.isSubscribed(viewer)]);
    return { ...mine, pushKey: pushing.publicKey, pushHere: isPushed };
  }
}

const unsubscribe = createRoute({
  method: 'post',
  path: '/mail/unsubscribe',
  summary: 'End the mails that a link in one of them names',
  request: { body: json(mailToken) },
  responses: { 200: answers(z.object({ scope: mailScope }), 'These mails come no more'), ...problems },
});

const confirm = createRoute({
  method: 'post',
  path: '/mail/confirmation',
  summary: 'Confirm an address, by the link in the mail to it',
  request: { body: json(mailToken) },
  responses: { 204: { description: 'Confirmed' }, ...problems },
});

/** What the links in mails lead to: they work signed out, on any device. */
export function mailLinkRoutes({ preferences }: Pick<PreferenceRoutesDeps, 'preferences'>) {
  return router<VisitorEnv>()
    .openapi(unsubscribe, async (c) =>
      c.json({ scope: await preferences.unsubscribe(c.req.valid('json').token) }, 200),
    )
    .openapi(confirm, async (c) => {
      await preferences.confirm(c.req.valid('json').token);
      return c.body(null, 204);
    });
}

/**
 * Unsubscribing by a mail program, which posts to the address of the page without asking anybody further (RFC 8058).
 * The page itself, with a button, is part of the browser's.
 */
export function oneClickRoutes({ preferences }: Pick<PreferenceRoutesDeps, 'preferences'>): Hono {
  return new Hono().post('/unsubscribe/:token', async (c) => {
    await preferences.unsubscribe(c.req.param('token'));
    return c.text('These mails come no more.\n', 200, { 'cache-control': 'no-store' });
  });
}
