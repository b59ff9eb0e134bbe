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
    .refine((text) => countCodePoints(text) <= limits.displayNameMax, 'No name is that long')
    .refine((text) => !hasForbiddenCharacters(text), 'No name contains such characters')
    .default(''),
});

const inThread = createRoute({
  method: 'get',
  path: '/questions/{id}/members',
  summary:
    'Members to mention at a question: who wrote there first, then others by the beginning of the name',
  request: { params: idParam, query: nameQuery },
  responses: {
    200: jsonResponse(mentionableMembers, 'A few members, never the one who asks'),
    ...problemResponses,
  },
});

const anywhere = createRoute({
  method: 'get',
  path: '/members',
  summary: 'Members to mention, by the beginning of the name',
  request: { query: nameQuery },
  responses: {
    200: jsonResponse(mentionableMembers, 'A few members, never the one who asks'),
    ...problemResponses,
  },
});

export function mentionRoutes({ db }: RouteDeps) {
  // More than anybody types names in a minute.
  const limit = createMemberLimit(db, {
    name: 'name-members',
    message: 'You have looked for names a lot in a short time. Please try again in a minute.',
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
