import { createRoute, z } from '@hono/zod-openapi';
import {
  createRouter,
  jsonBody,
  jsonResponse,
  problemResponses,
  type PublicEnv,
  type RouteDeps,
} from '#server/core/http.ts';
import type { SendDocument } from '#server/core/response-cache-http.ts';
import { addressText, idParam } from '#shared/core/fields.ts';
import {
  announcementDraft,
  type AnnouncementsDocument,
  announcementsDocument as announcementsSchema,
} from '#shared/moderation/announcements.ts';
import {
  announcementsDocument,
  endAnnouncement,
  postAnnouncement,
  readAllAnnouncements,
} from './announcements.ts';
import { type ModeratorEnv, moderatorsOnly } from './moderator.ts';

const read = createRoute({
  method: 'get',
  path: '/announcements',
  summary: 'List the announcements and pinned questions of the home page, or of a tag, latest first',
  request: { query: z.object({ tag: addressText.min(1).optional() }) },
  responses: { 200: jsonResponse(announcementsSchema, 'The same for every viewer'), ...problemResponses },
});

/** For everyone who may read. */
export function publicAnnouncementRoutes({ sendDocument }: { sendDocument: SendDocument }) {
  return createRouter<PublicEnv>().openapi(read, async (c) =>
    sendDocument<AnnouncementsDocument>(c, announcementsDocument(c.req.valid('query').tag)),
  );
}

const list = createRoute({
  method: 'get',
  path: '/moderation/announcements',
  summary: 'For moderators: list the announcements and pinned questions of all pages, latest first',
  responses: { 200: jsonResponse(announcementsSchema, 'The current state'), ...problemResponses },
});

const post = createRoute({
  method: 'post',
  path: '/moderation/announcements',
  summary: 'For moderators: post an announcement or pin a question, on the home page or the page of a tag',
  request: { body: jsonBody(announcementDraft) },
  responses: { 204: { description: 'Shown from now on' }, ...problemResponses },
});

const end = createRoute({
  method: 'delete',
  path: '/moderation/announcements/{id}',
  summary: 'For moderators: end an announcement, or unpin a question',
  request: { params: idParam },
  responses: { 204: { description: 'No longer shown' }, ...problemResponses },
});

/** For moderators only. */
export function announcementRoutes({ db }: RouteDeps) {
  const routes = createRouter<ModeratorEnv>();
  routes.use('/moderation/announcements/*', moderatorsOnly);
  return routes
    .openapi(list, async (c) => c.json(await readAllAnnouncements(c.get('reader')), 200))
    .openapi(post, async (c) => {
      await postAnnouncement(db, {
        moderator: c.get('moderator'),
        draft: c.req.valid('json'),
      });
      return c.body(null, 204);
    })
    .openapi(end, async (c) => {
      const { id } = c.req.valid('param');
      await endAnnouncement(db, { moderator: c.get('moderator'), id });
      return c.body(null, 204);
    });
}
