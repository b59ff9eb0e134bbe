import { createRoute, z } from '@hono/zod-openapi';
import { jsonResponse, type RouteDeps, jsonBody, problemResponses, createRouter } from '#server/core/http.ts';
import { cursorQuery, id, idParam } from '#shared/core/fields.ts';
import { notificationFilter, notifications } from '#shared/notifications/notifications.ts';
import {
  clearInstantDeliveries,
  markNotificationsRead,
  readNotifications,
  markNotificationRead,
} from './notifications.ts';

const list = createRoute({
  method: 'get',
  path: '/notifications',
  summary: "The viewer's notifications, newest first",
  request: { query: z.object({ filter: notificationFilter.default('all'), cursor: cursorQuery }) },
  responses: { 200: jsonResponse(notifications, 'A page of notifications'), ...problemResponses },
});

const markRead = createRoute({
  method: 'put',
  path: '/notifications/{id}/read',
  summary: 'Mark a notification as read',
  request: { params: idParam },
  responses: { 204: { description: 'The notification is read' }, ...problemResponses },
});

const markAllRead = createRoute({
  method: 'put',
  path: '/notifications/read',
  summary: 'Mark all notifications as read',
  request: {
    body: jsonBody(
      z.object({
        /** The newest notification that the member has seen. Later ones stay unread. Null marks all. */
        upTo: id.nullable().default(null),
      }),
    ),
  },
  responses: { 204: { description: 'Read' }, ...problemResponses },
});

const markSeen = createRoute({
  method: 'put',
  path: '/notifications/seen',
  summary: 'Cancel pending instant emails and pushes, because an open page shows the notifications',
  responses: { 204: { description: 'Cancelled; nothing is marked read' }, ...problemResponses },
});

export function notificationRoutes({ db }: RouteDeps) {
  return createRouter()
    .openapi(list, async (c) => {
      const { filter, cursor } = c.req.valid('query');
      return c.json(await readNotifications(db, { viewer: c.get('viewer'), filter, cursor }), 200);
    })
    .openapi(markAllRead, async (c) => {
      await markNotificationsRead(db, { viewer: c.get('viewer'), upTo: c.req.valid('json').upTo });
      return c.body(null, 204);
    })
    .openapi(markSeen, async (c) => {
      await clearInstantDeliveries(db, c.get('viewer'));
      return c.body(null, 204);
    })
    .openapi(markRead, async (c) => {
      await markNotificationRead(db, { id: c.req.valid('param').id, viewer: c.get('viewer') });
      return c.body(null, 204);
    });
}
