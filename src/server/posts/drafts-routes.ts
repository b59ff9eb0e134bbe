import { createRoute, z } from '@hono/zod-openapi';
import { jsonResponse, type RouteDeps, jsonBody, problemResponses, createRouter } from '#server/core/http.ts';
import { createMemberLimit } from '#server/core/rate-limits.ts';
import { draftTarget, drafts, draftState, draftSave } from '#shared/posts/drafts.ts';
import { discardDraft, readDraft, readDrafts, saveDraft } from './drafts.ts';

const targetParam = z.object({ target: draftTarget });

const list = createRoute({
  method: 'get',
  path: '/drafts',
  summary: "List the member's drafts, latest first",
  description: 'With an API token, only the drafts that this token has saved.',
  responses: { 200: jsonResponse(drafts, 'All drafts'), ...problemResponses },
});

const read = createRoute({
  method: 'get',
  path: '/drafts/{target}',
  summary: "The viewer's draft of a form, or how it ended",
  description: 'With an API token, 404 `draft-not-found` if this token has not saved the draft.',
  request: { params: targetParam },
  responses: { 200: jsonResponse(draftState, 'The state of the draft'), ...problemResponses },
});

const save = createRoute({
  method: 'put',
  path: '/drafts/{target}',
  summary: 'Save the draft of a form',
  description:
    'Returns 409 `draft-changed` with the other text as `draft` if another device has changed it, and 410 ' +
    '`draft-posted` if this text has been posted. With an API token, a draft that another device or token has ' +
    'saved is never replaced, and the 409 does not contain it; the question of an answer must exist and not be locked.',
  request: { params: targetParam, body: jsonBody(draftSave) },
  responses: { 200: jsonResponse(draftState, 'The stored draft'), ...problemResponses },
});

const discard = createRoute({
  method: 'delete',
  path: '/drafts/{target}',
  summary: "Discard the viewer's draft",
  request: {
    params: targetParam,
    query: z.object({
      /** The version to discard. Without it, any version. */
      basedOn: z
        .string()
        .regex(/^[1-9]\d{0,14}$/)
        .transform(Number)
        .optional(),
    }),
  },
  responses: { 204: { description: 'There is no draft any more' }, ...problemResponses },
});

export function draftRoutes({ db }: RouteDeps) {
  // Continuous typing uses a tenth of this limit.
  const limit = createMemberLimit(db, {
    name: 'draft',
    code: 'too-many-draft-saves',
    points: 240,
    seconds: 60,
  });
  // Drafts are read from the primary, because another device reads them a moment later.
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
