import { withCode } from '#shared/core/coded-error.ts';
import { createRoute, z } from '@hono/zod-openapi';
import { jsonResponse, type RouteDeps, problemResponses, createRouter } from '#server/core/http.ts';
import { createMemberLimit } from '#server/core/rate-limits.ts';
import { idParam } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { mentionableMembers } from '#shared/posts/mentions.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';
import { listMentionableByName, listMentionableInThread } from './mentions-suggestions.ts';

const nameQuery = z.object({
  /** The beginning of a name, without case. */
  q: z
    .string()
    .refine(
      (text) => countCodePoints(text) <= limits.displayNameMax,
      withCode('text-too-long', { max: limits.displayNameMax }),
    )
    .refine((text) => !hasForbiddenCharacters(text), withCode('characters-not-searchable'))
    .default(''),
});

const inThread = createRoute({
  method: 'get',
  path: '/questions/{id}/members',
  summary: 'Members to mention in a thread: its authors first, then others by the beginning of the name',
  request: { params: idParam, query: nameQuery },
  responses: {
    200: jsonResponse(mentionableMembers, 'A few members, without the viewer'),
    ...problemResponses,
  },
});

const anywhere = createRoute({
  method: 'get',
  path: '/members',
  summary: 'Suggest members for a mention, by name prefix',
  request: { query: nameQuery },
  responses: {
    200: jsonResponse(mentionableMembers, 'A few members, without the viewer'),
    ...problemResponses,
  },
});

export function mentionRoutes({ db }: RouteDeps) {
  // More than anyone types in a minute.
  const limit = createMemberLimit(db, {
    name: 'member-search',
    code: 'too-many-member-searches',
    points: 300,
    seconds: 60,
  });
  return createRouter()
    .openapi(inThread, async (c) => {
      const viewer = c.get('viewer');
      await limit(viewer.id);
      const wanted = { questionId: c.req.valid('param').id, viewer, beginning: c.req.valid('query').q };
      return c.json({ items: await listMentionableInThread(c.get('reader'), wanted) }, 200);
    })
    .openapi(anywhere, async (c) => {
      const viewer = c.get('viewer');
      await limit(viewer.id);
      const wanted = { viewer, beginning: c.req.valid('query').q };
      return c.json({ items: await listMentionableByName(c.get('reader'), wanted) }, 200);
    });
}
