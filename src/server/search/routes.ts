import { createRoute, z } from '@hono/zod-openapi';
import { answers, problems, router } from '#server/platform/http.ts';
import { cursorQuery } from '#shared/fields.ts';
import { limits } from '#shared/limits.ts';
import { searchKind, searchResults, searchSort } from '#shared/search.ts';
import { codePoints, hasForbiddenCharacters } from '#shared/text.ts';
import { search } from './search.ts';

const find = createRoute({
  method: 'get',
  path: '/search',
  summary: 'Search questions, answers or members',
  request: {
    query: z.object({
      q: z
        .string()
        .refine((text) => codePoints(text) <= limits.searchQuery, 'Search for something shorter')
        .refine(
          (text) => !hasForbiddenCharacters(text),
          'The query contains characters that cannot be searched',
        )
        .default(''),
      in: searchKind.default('questions'),
      sort: searchSort.default('relevance'),
      cursor: cursorQuery,
    }),
  },
  responses: { 200: answers(searchResults, 'A page of results'), ...problems },
});

export function searchRoutes() {
  return router().openapi(find, async (c) => {
    const { q, in: kind, sort, cursor } = c.req.valid('query');
    return c.json(await search(c.get('reading'), { query: q, kind, sort, cursor }), 200);
  });
}
