import { createRoute, z } from '@hono/zod-openapi';
import { answers, type Deps, problems, router } from '#server/platform/http.ts';
import { memberLimit } from '#server/platform/rate-limits.ts';
import { idParam } from '#shared/fields.ts';
import { limits } from '#shared/limits.ts';
import { mentionable } from '#shared/mentions.ts';
import { codePoints, hasForbiddenCharacters } from '#shared/text.ts';
import { membersByName, membersForThread } from './members.ts';

const nameQuery = z.object({
  /** The beginning of a name, without case. */
  q: z
    .string()
    .refine((text) => codePoints(text) <= limits.displayNameMax, 'No name is that long')
    .refine((text) => !hasForbiddenCharacters(text), 'No name contains such characters')
    .default(''),
});

const inThread = createRoute({
  method: 'get',
  path: '/questions/{id}/members',
  summary:
    'Members to mention at a question: who wrote there first, then others by the beginning of the name',
  request: { params: idParam, query: nameQuery },
  responses: { 200: answers(mentionable, 'A few members, never the one who asks'), ...problems },
});

const anywhere = createRoute({
  method: 'get',
  path: '/members',
  summary: 'Members to mention, by the beginning of the name',
  request: { query: nameQuery },
  responses: { 200: answers(mentionable, 'A few members, never the one who asks'), ...problems },
});

export function mentionRoutes({ db }: Deps) {
  // More than anybody types names in a minute.
  const limit = memberLimit(db, {
    name: 'name-members',
    message: 'You have looked for names a lot in a short time. Please try again in a minute.',
    points: 300,
    seconds: 60,
  });
  return router()
    .openapi(inThread, async (c) => {
      const viewer = c.get('viewer');
      await limit(viewer.id);
      const wanted = { questionId: c.req.valid('param').id, viewer, beginning: c.req.valid('query').q };
      return c.json({ items: await membersForThread(c.get('reading'), wanted) }, 200);
    })
    .openapi(anywhere, async (c) => {
      const viewer = c.get('viewer');
      await limit(viewer.id);
      const wanted = { viewer, beginning: c.req.valid('query').q };
      return c.json({ items: await membersByName(c.get('reading'), wanted) }, 200);
    });
}
