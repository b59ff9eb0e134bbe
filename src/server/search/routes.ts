import { createRoute, z } from '@hono/zod-openapi';
import type { Database } from '#server/platform/database.ts';
import { answers, problems, router } from '#server/platform/http.ts';
import { type Pages, send } from '#server/platform/read-models/sending.ts';
import { cursorQuery } from '#shared/fields.ts';
import { limits } from '#shared/limits.ts';
import { instantResults, searchKind, type SearchResults, searchResults, searchSort } from '#shared/search.ts';
import { codePoints, hasForbiddenCharacters } from '#shared/text.ts';
import { instantly } from './instant.ts';
import { searchesKept } from './page.ts';
import { folded, search } from './search.ts';

const searchText = z
  .string()
  .refine((text) => codePoints(text) <= limits.searchQuery, 'Search for something shorter')
  .refine((text) => !hasForbiddenCharacters(text), 'The query contains characters that cannot be searched')
  .default('');

const find = createRoute({
  method: 'get',
  path: '/search',
  summary: 'Search questions, answers or members',
  request: {
    query: z.object({
      q: searchText,
      in: searchKind.default('questions'),
      sort: searchSort.default('relevance'),
      cursor: cursorQuery,
    }),
  },
  responses: { 200: answers(searchResults, 'A page of results'), ...problems },
});

const findInstantly = createRoute({
  method: 'get',
  path: '/search/instant',
  summary:
    'Questions, topics and members whose title or name begins with a text or contains it, the best few of each',
  request: { query: z.object({ q: searchText }) },
  responses: { 200: answers(instantResults, 'What was found'), ...problems },
});

export function searchRoutes({ pages, searching }: { pages: Pages; searching: Database }) {
  const keep = searchesKept(searching);
  return router()
    .openapi(find, async (c) => {
      const { q, in: kind, sort, cursor } = c.req.valid('query');
      const wanted = { query: folded(q), kind, sort, cursor, viewerId: c.get('viewer').id };
      const page = keep(wanted);
      if (page !== undefined) return send<SearchResults>(c, await pages.read(c, page));
      return c.json(await search(c.get('reading'), wanted), 200);
    })
    .openapi(findInstantly, async (c) =>
      c.json(await instantly(c.get('reading'), c.req.valid('query').q), 200),
    );
}
