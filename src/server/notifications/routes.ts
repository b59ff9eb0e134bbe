import { createRoute, z } from '@hono/zod-openapi';
import { answers, type Deps, json, problems, router } from '#server/platform/http.ts';
import { cursorQuery, id, idParam } from '#shared/fields.ts';
import { notificationFilter, notifications } from '#shared/notifications.ts';
import { noteSeen, readAll, readNotifications, readOne } from './notifications.ts';

const list = createRoute({
  method: 'get',
  path: '/notifications',
  summary: 'The own notifications, newest first',
  request: { query: z.object({ filter: notificationFilter.default('all'), cursor: cursorQuery }) },
  responses: { 200: answers(notifications, 'A page of notifications'), ...problems },
});

const markRead = createRoute({
  method: 'put',
  path: '/notifications/{id}/read',
  summary: 'Mark a notification read',
  request: { params: idParam },
  responses: { 204: { description: 'Read, now or before' }, ...problems },
});

const markAllRead = createRoute({
  method: 'put',
  path: '/notifications/read',
  summary: 'Mark all notifications read',
  request: {
    body: json(
      z.object({
        /** The newest one the member has seen; later ones stay unread. Null marks all. */
        upTo: id.nullable().default(null),
      }),
    ),
  },
  responses: { 204: { description: 'Read' }, ...problems },
});

const markSeen = createRoute({
  method: 'put',
  path: '/notifications/seen',
  summary:
    'Say that the member looks at a page that shows what is new, so that they are not called by mail or push',
  responses: { 204: { description: 'Noted; nothing is marked read' }, ...problems },
});

export function notificationRoutes({ db }: Deps) {
  return router()
    .openapi(list, async (c) => {
      const { filter, cursor } = c.req.valid('query');
      return c.json(await readNotifications(db, { viewer: c.get('viewer'), filter, cursor }), 200);
    })
    .openapi(markAllRead, async (c) => {
      await readAll(db, { viewer: c.get('viewer'), upTo: c.req.valid('json').upTo });
      return c.body(null, 204);
    })
    .openapi(markSeen, async (c) => {
      await noteSeen(db, c.get('viewer'));
      return c.body(null, 204);
    })
    .openapi(markRead, async (c) => {
      await readOne(db, { id: c.req.valid('param').id, viewer: c.get('viewer') });
      return c.body(null, 204);
    });
}
