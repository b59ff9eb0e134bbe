import { createRoute, z } from '@hono/zod-openapi';
import { answers, type Deps, json, problems, router } from '#server/platform/http.ts';
import { memberLimit } from '#server/platform/rate-limits.ts';
import { draftPlace, drafts, draftState, draftWrite } from '#shared/drafts.ts';
import { discardDraft, readDraft, readDrafts, saveDraft } from './drafts.ts';

const placeParam = z.object({ place: draftPlace });

const list = createRoute({
  method: 'get',
  path: '/drafts',
  summary: 'The own drafts, the latest first',
  responses: { 200: answers(drafts, 'All of them'), ...problems },
});

const read = createRoute({
  method: 'get',
  path: '/drafts/{place}',
  summary: 'The own draft of a form, or how it ended',
  request: { params: placeParam },
  responses: { 200: answers(draftState, 'What is known of it'), ...problems },
});

const save = createRoute({
  method: 'put',
  path: '/drafts/{place}',
  summary: 'Keep what was typed into a form',
  description:
    'Answered with 409 `draft-changed`, and the other text as `draft`, where another device wrote meanwhile; with 410 ' +
    '`draft-posted` where this very text has been posted.',
  request: { params: placeParam, body: json(draftWrite) },
  responses: { 200: answers(draftState, 'As it is kept'), ...problems },
});

const discard = createRoute({
  method: 'delete',
  path: '/drafts/{place}',
  summary: 'Throw an own draft away',
  request: {
    params: placeParam,
    query: z.object({
      /** The version that is meant; without it, whichever it is. */
      basedOn: z
        .string()
        .regex(/^[1-9]\d{0,14}$/)
        .transform(Number)
        .optional(),
    }),
  },
  responses: { 204: { description: 'There is none, now or before' }, ...problems },
});

export function draftRoutes({ db }: Deps) {
  // A browser that is typed in all the time asks for a tenth of this.
  const limit = memberLimit(db, {
    name: 'draft',
    message: 'You have saved drafts a lot in a short time. Please try again in a minute.',
    points: 240,
    seconds: 60,
  });
  // Drafts are read from where they are written: another device shows them a moment later.
  return router()
    .openapi(list, async (c) => c.json({ items: await readDrafts(db, c.get('viewer')) }, 200))
    .openapi(read, async (c) => {
      const { place } = c.req.valid('param');
      return c.json(await readDraft(db, { viewer: c.get('viewer'), place }), 200);
    })
    .openapi(save, async (c) => {
      const viewer = c.get('viewer');
      await limit(viewer.id);
      const { place } = c.req.valid('param');
      return c.json(await saveDraft(db, { viewer, place, draft: c.req.valid('json') }), 200);
    })
    .openapi(discard, async (c) => {
      const viewer = c.get('viewer');
      await limit(viewer.id);
      const { place } = c.req.valid('param');
      await discardDraft(db, { viewer, place, basedOn: c.req.valid('query').basedOn });
      return c.body(null, 204);
    });
}
