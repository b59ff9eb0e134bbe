import { createRoute, z } from '@hono/zod-openapi';
import { jsonResponse, type RouteDeps, jsonBody, problemResponses, createRouter } from '#server/core/http.ts';
import { createMemberLimit } from '#server/core/rate-limits.ts';
import { draftTarget, drafts, draftState, draftSave } from '#shared/posts/drafts.ts';
import { discardDraft, readDraft, readDrafts, saveDraft } from './drafts.ts';

const targetParam = z.object({ target: draftTarget });

const list = createRoute({
  method: 'get',
  path: '/drafts',
  summary: 'The own drafts, the latest first',
  responses: { 200: jsonResponse(drafts, 'All of them'), ...problemResponses },
});

const read = createRoute({
  method: 'get',
  path: '/drafts/{target}',
  summary: 'The own draft of a form, or how it ended',
  request: { params: targetParam },
  responses: { 200: jsonResponse(draftState, 'What is known of it'), ...problemResponses },
});

const save = createRoute({
  method: 'put',
  path: '/drafts/{target}',
  summary: 'Keep what was typed into a form',
  description:
    'Answered with 409 `draft-changed`, and the other text as `draft`, where another device wrote meanwhile; with 410 ' +
    '`draft-posted` where this very text has been posted.',
  request: { params: targetParam, body: jsonBody(draftSave) },
  responses: { 200: jsonResponse(draftState, 'As it is kept'), ...problemResponses },
});

const discard = createRoute({
  method: 'delete',
  path: '/drafts/{target}',
  summary: 'Throw an own draft away',
  request: {
    params: targetParam,
    query: z.object({
      /** The version that is meant; without it, whichever it is. */
      basedOn: z
        .string()
        .regex(/^[1-9]\d{0,14}$/)
        .transform(Number)
        .optional(),
    }),
  },
  responses: { 204: { description: 'There is none, now or before' }, ...problemResponses },
});

export function draftRoutes({ db }: RouteDeps) {
  // A browser that is typed in all the time asks for a tenth of this.
  const limit = createMemberLimit(db, {
    name: 'draft',
    message: 'You have saved drafts a lot in a short time. Please try again in a minute.',
    points: 240,
    seconds: 60,
  });
  // Drafts are read from where they are written: another device shows them a moment later.
  return createRouter()
    .openapi(list, async (c) => c.json({ items: await readDrafts(db, c.get('viewer')) }, 200))
    .openapi(read, async (c) => {
      const { target } = c.req.valid('param');
      return c.json(await readDraft(db, { viewer: c.get('viewer'), target }), 200);
    })
    .openapi(save, async (c) => {
      const viewer = c.get('viewer');
      await limit(viewer.id);
      const { target } = c.req.valid('param');
      return c.json(await saveDraft(db, { viewer, target, draft: c.req.valid('json') }), 200);
    })
    .openapi(discard, async (c) => {
      const viewer = c.get('viewer');
      await limit(viewer.id);
      const { target } = c.req.valid('param');
      await discardDraft(db, { viewer, target, basedOn: c.req.valid('query').basedOn });
      return c.body(null, 204);
    });
}
