import { limits } from '#shared/core/limits.ts';
import { withCode } from '#shared/core/coded-error.ts';
import { createRoute, z } from '@hono/zod-openapi';
import { jsonResponse, jsonBody, problemResponses, createRouter, type PublicEnv } from '#server/core/http.ts';
import type { WriteLimits } from '#server/posts/index.ts';
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
  // A POST that changes nothing, because the text is too long for a URL.
  summary: 'Get questions similar to a typed text, and matching tags',
  request: { body: jsonBody(partialQuestion) },
  responses: { 200: jsonResponse(similarResults, 'Most similar first, at most 5'), ...problemResponses },
});

const relate = createRoute({
  method: 'get',
  path: '/questions/{id}/related',
  summary: 'Get related questions',
  request: { params: idParam },
  responses: {
    200: jsonResponse(relatedQuestionCards, 'Most similar first, at most 5'),
    ...problemResponses,
  },
});

const readAudienceRoute = createRoute({
  method: 'get',
  path: '/audience',
  summary: 'Count the members who would see a question with these tags in their following feed',
  request: {
    query: z.object({
      tags: addressText
        .default('')
        .transform(parseTags)
        .refine(
          (tags) => findTagsProblem(tags) === null,
          withCode('tags-not-valid', { max: limits.tagsPerQuestion }),
        ),
    }),
  },
  responses: {
    200: jsonResponse(audience, 'The number of members, and the followers of each tag'),
    ...problemResponses,
  },
});

/** What visitors may read too. */
export const relatedRoutes = () =>
  createRouter<PublicEnv>().openapi(relate, async (c) =>
    c.json(await readRelated(c.get('reader'), c.req.valid('param').id), 200),
  );

export function similarRoutes({ limits }: { limits: WriteLimits }) {
  return createRouter()
    .openapi(compare, async (c) => {
      await limits.similarQuestions(c.get('viewer').id);
      return c.json(await readSimilar(c.get('reader'), c.req.valid('json')), 200);
    })
    .openapi(readAudienceRoute, async (c) => {
      const { tags } = c.req.valid('query');
      return c.json(await readAudience(c.get('reader'), { tags, viewer: c.get('viewer') }), 200);
    });
}
