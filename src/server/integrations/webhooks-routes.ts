import { createRoute, z } from '@hono/zod-openapi';
import { createRouter, jsonBody, jsonResponse, problemResponses } from '#server/core/http.ts';
import { createAdminLimit, requireAdmin } from '#server/moderation/index.ts';
import { cursorQuery, idParam } from '#shared/core/fields.ts';
import {
  createdWebhook,
  webhookDeliveries,
  webhookDeliveryParam,
  webhookDraft,
  webhookList,
  webhookSecret,
  webhookState,
} from '#shared/integrations/webhooks.ts';
import { createWebhooks, type WebhookDeps } from './webhooks.ts';

const list = createRoute({
  method: 'get',
  path: '/admin/webhooks',
  summary: 'For admins: list web hooks with their state, without their secrets',
  responses: { 200: jsonResponse(webhookList, 'In the order in which they were added'), ...problemResponses },
});

const add = createRoute({
  method: 'post',
  path: '/admin/webhooks',
  summary: 'For admins: add a web hook',
  request: { body: jsonBody(webhookDraft) },
  responses: {
    201: jsonResponse(createdWebhook, 'Added; the secret is only in this response'),
    ...problemResponses,
  },
});

const change = createRoute({
  method: 'put',
  path: '/admin/webhooks/{id}',
  summary: 'For admins: change a web hook',
  request: { params: idParam, body: jsonBody(webhookDraft) },
  responses: { 204: { description: 'Changed, or unchanged' }, ...problemResponses },
});

const setEnabled = createRoute({
  method: 'put',
  path: '/admin/webhooks/{id}/enabled',
  summary: 'For admins: switch a web hook on or off',
  request: { params: idParam, body: jsonBody(webhookState) },
  responses: { 204: { description: 'Switched, or unchanged' }, ...problemResponses },
});

const replaceSecret = createRoute({
  method: 'post',
  path: '/admin/webhooks/{id}/secret',
  summary: 'For admins: replace the secret of a web hook; the previous one signs for another day',
  request: { params: idParam },
  responses: { 200: jsonResponse(webhookSecret, 'Only in this response'), ...problemResponses },
});

const remove = createRoute({
  method: 'delete',
  path: '/admin/webhooks/{id}',
  summary: 'For admins: delete a web hook with its deliveries',
  request: { params: idParam },
  responses: { 204: { description: 'Deleted' }, ...problemResponses },
});

const sendTest = createRoute({
  method: 'post',
  path: '/admin/webhooks/{id}/tests',
  summary: 'For admins: send a test event to a web hook',
  request: { params: idParam },
  responses: { 204: { description: 'Queued; the outcome is in the deliveries' }, ...problemResponses },
});

const listDeliveries = createRoute({
  method: 'get',
  path: '/admin/webhooks/{id}/deliveries',
  summary: 'For admins: list the deliveries of a web hook, with the last request and response of each',
  request: { params: idParam, query: z.object({ cursor: cursorQuery }) },
  responses: { 200: jsonResponse(webhookDeliveries, 'Newest first'), ...problemResponses },
});

const repeat = createRoute({
  method: 'post',
  path: '/admin/webhooks/{id}/deliveries/{deliveryId}/attempts',
  summary: 'For admins: send a delivery again, with the same id',
  request: { params: webhookDeliveryParam },
  responses: { 204: { description: 'Queued' }, ...problemResponses },
});

export function webhookRoutes(deps: WebhookDeps) {
  const { db } = deps;
  const webhooks = createWebhooks(deps);
  const requireChanger = createAdminLimit(db, { name: 'webhooks', points: 200 });
  /** Each is a request to another server. */
  const requireSender = createAdminLimit(db, { name: 'webhook-sends', points: 120 });
  return createRouter()
    .openapi(list, async (c) => {
      requireAdmin(c.get('viewer'));
      return c.json(await webhooks.list(c.get('reader')), 200);
    })
    .openapi(add, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      return c.json(await webhooks.add(admin, c.req.valid('json')), 201);
    })
    .openapi(change, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      await webhooks.change(admin, c.req.valid('param').id, c.req.valid('json'));
      return c.body(null, 204);
    })
    .openapi(setEnabled, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      await webhooks.setEnabled(admin, c.req.valid('param').id, c.req.valid('json').enabled);
      return c.body(null, 204);
    })
    .openapi(replaceSecret, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      return c.json(await webhooks.replaceSecret(admin, c.req.valid('param').id), 200);
    })
    .openapi(remove, async (c) => {
      const admin = await requireChanger(c.get('viewer'));
      await webhooks.remove(admin, c.req.valid('param').id);
      return c.body(null, 204);
    })
    .openapi(sendTest, async (c) => {
      await requireSender(c.get('viewer'));
      await webhooks.sendTest(c.req.valid('param').id);
      return c.body(null, 204);
    })
    .openapi(listDeliveries, async (c) => {
      requireAdmin(c.get('viewer'));
      const { id } = c.req.valid('param');
      return c.json(await webhooks.deliveries(c.get('reader'), { id, ...c.req.valid('query') }), 200);
    })
    .openapi(repeat, async (c) => {
      await requireSender(c.get('viewer'));
      const { id, deliveryId } = c.req.valid('param');
      await webhooks.repeat(id, deliveryId);
      return c.body(null, 204);
    });
}
