import { withCode } from '#shared/core/coded-error.ts';
import { createRoute, z } from '@hono/zod-openapi';
import type { Database } from '#server/core/database.ts';
import { jsonResponse, problemResponses, createRouter, type PublicEnv } from '#server/core/http.ts';
import type { SendDocument } from '#server/core/response-cache-http.ts';
import { cursorQuery } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import {
  instantResults,
  searchKind,
  type SearchResults,
  searchResults,
  searchSort,
} from '#shared/discovery/search.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';
import type { EmptySearchCounter } from './empty-searches.ts';
import { searchInstantly } from './search-instant.ts';
import { createSearchDocuments } from './search-document.ts';
import { foldSpaces, search } from './search.ts';

const searchText = z
  .string()
  .refine(
    (text) => countCodePoints(text) <= limits.searchQuery,
    withCode('search-query-too-long', { max: limits.searchQuery }),
  )
  .refine((text) => !hasForbiddenCharacters(text), withCode('characters-not-searchable'))
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
  responses: { 200: jsonResponse(searchResults, 'A page of results'), ...problemResponses },
});

const findInstantly = createRoute({
  method: 'get',
  path: '/search/instant',
  summary: 'Get the best questions, tags and members whose title or name begins with or contains a text',
  request: { query: z.object({ q: searchText }) },
  responses: { 200: jsonResponse(instantResults, 'The results'), ...problemResponses },
});

export function searchRoutes({
  sendDocument,
  searchDb,
  emptySearches,
}: {
  sendDocument: SendDocument;
  searchDb: Database;
  emptySearches: EmptySearchCounter | undefined;
}) {
  const { getDocument, isKnownEmpty } = createSearchDocuments(searchDb);
  return createRouter<PublicEnv>()
    .openapi(find, async (c) => {
      const { q, in: kind, sort, cursor } = c.req.valid('query');
      const wanted = { query: foldSpaces(q), kind, sort, cursor, viewerId: c.get('viewer').id };
      const page = getDocument(wanted);
      // Later pages and members by name say nothing about what the community lacks.
      const isCounted = cursor === undefined && kind !== 'users';
      if (page !== undefined) {
        const response = await sendDocument<SearchResults>(c, page);
        if (isCounted && isKnownEmpty(page)) emptySearches?.count(wanted.query, wanted.viewerId);
        return response;
      }
      const results = await search(c.get('reader'), wanted);
      if (isCounted && results.total === 0) emptySearches?.count(wanted.query, wanted.viewerId);
      return c.json(results, 200);
    })
    .openapi(findInstantly, async (c) =>
      c.json(await searchInstantly(c.get('reader'), c.req.valid('query').q), 200),
    );
}
