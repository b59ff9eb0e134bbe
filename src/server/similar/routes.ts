import { createRoute, z } from '@hono/zod-openapi';
import { answers, json, problems, router } from '#server/platform/http.ts';
import type { PostingLimits } from '#server/posts/limits.ts';
import { addressText, idParam } from '#shared/fields.ts';
import { audience, related, similar, typedQuestion } from '#shared/similar.ts';
import { parseTags, tagsProblem } from '#shared/tags.ts';
import { readAudience, readRelated, readSimilar } from './similar.ts';

const compare = createRoute({
  method: 'post',
  path: '/questions/similar',
  // A POST that changes nothing: the text is too long for an address.
  summary: 'The questions most like one that is being typed, and the tags that fit it',
  request: { body: json(typedQuestion) },
  responses: { 200: answers(similar, 'Most similar first, 5 at most'), ...problems },
});

const relate = createRoute({
  method: 'get',
  path: '/questions/{id}/related',
  summary: 'The questions most like this one',
  request: { params: idParam },
  responses: { 200: answers(related, 'Most similar first, 5 at most'), ...problems },
});

const hear = createRoute({
  method: 'get',
  path: '/audience',
  summary: 'How many other members would see a question with these tags in their following feed',
  request: {
    query: z.object({
      tags: addressText
        .default('')
        .transform(parseTags)
        .refine((tags) => tagsProblem(tags) === null, 'Name up to 5 tags, with commas between them'),
    }),
  },
  responses: { 200: answers(audience, 'Each member once, and the followers of each tag'), ...problems },
});

export function similarRoutes({ limits }: { limits: PostingLimits }) {
  return router()
    .openapi(compare, async (c) => {
      await limits.compare(c.get('viewer').id);
      return c.json(await readSimilar(c.get('reading'), c.req.valid('json')), 200);
    })
    .openapi(relate, async (c) => c.json(await readRelated(c.get('reading'), c.req.valid('param').id), 200))
    .openapi(hear, async (c) => {
      const { tags } = c.req.valid('query');
      return c.json(await readAudience(c.get('reading'), { tags, viewer: c.get('viewer') }), 200);
    });
}
