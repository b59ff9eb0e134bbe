import { createRoute, z } from '@hono/zod-openapi';
import { jsonResponse, jsonBody, problemResponses, createRouter } from '#server/core/http.ts';
import type { WriteLimits } from '#server/posts/write-limits.ts';
import { addressText, idParam } from '#shared/core/fields.ts';
import {
  audience,
  relatedQuestionCards,
  similarResults,
  partialQuestion,
} from '#shared/discovery/similar.ts';
import { parseTags, findTagsProblem } from '#shared/posts/tags.ts';
import { readAudience, readRelated, readSimilar } from './similar.ts';

const compare = createRoute({
  method: 'post',
  path: '/questions/similar',
  // A POST that changes nothing: the text is too long for an address.
  summary: 'The questions most like one that is being typed, and the tags that fit it',
  request: { body: jsonBody(partialQuestion) },
  responses: { 200: jsonResponse(similarResults, 'Most similar first, 5 at most'), ...problemResponses },
});

const relate = createRoute({
  method: 'get',
  path: '/questions/{id}/related',
  summary: 'The questions most like this one',
  request: { params: idParam },
  responses: {
    200: jsonResponse(relatedQuestionCards, 'Most similar first, 5 at most'),
    ...problemResponses,
  },
});

const readAudienceRoute = createRoute({
  method: 'get',
  path: '/audience',
  summary: 'How many other members would see a question with these tags in their following feed',
  request: {
    query: z.object({
      tags: addressText
        .default('')
        .transform(parseTags)
        .refine((tags) => findTagsProblem(tags) === null, 'Name up to 5 tags, with commas between them'),
    }),
  },
  responses: {
    200: jsonResponse(audience, 'Each member once, and the followers of each tag'),
    ...problemResponses,
  },
});

export function similarRoutes({ limits }: { limits: WriteLimits }) {
  return createRouter()
    .openapi(compare, async (c) => {
      await limits.similarQuestions(c.get('viewer').id);
      return c.json(await readSimilar(c.get('reader'), c.req.valid('json')), 200);
    })
    .openapi(relate, async (c) => c.json(await readRelated(c.get('reader'), c.req.valid('param').id), 200))
    .openapi(readAudienceRoute, async (c) => {
      const { tags } = c.req.valid('query');
      return c.json(await readAudience(c.get('reader'), { tags, viewer: c.get('viewer') }), 200);
    });
}
