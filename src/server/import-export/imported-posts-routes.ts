import { createRoute, z } from '@hono/zod-openapi';
import { sql } from 'kysely';
import {
  createRouter,
  jsonResponse,
  problemResponses,
  type PublicEnv,
  type RouteDeps,
} from '#server/core/http.ts';
import type { Reader } from '#server/core/database.ts';
import { importedPost } from '#shared/posts/questions.ts';
import { getLinkedPosts } from './stack-exchange-links.ts';
import { getPostPath } from './stack-exchange-links-queries.ts';

const find = createRoute({
  method: 'get',
  path: '/imported-posts',
  summary: 'Where the post is that had this address on the imported site',
  request: { query: z.object({ address: z.string().max(2000).default('') }) },
  responses: {
    200: jsonResponse(importedPost, 'Null for posts that are not visible here, and if no site is set'),
    ...problemResponses,
  },
});

export function importedPostRoutes({ settings: { importedSite } }: RouteDeps) {
  return createRouter<PublicEnv>().openapi(find, async (c) => {
    const posts = importedSite === null ? [] : getLinkedPosts(c.req.valid('query').address, [importedSite]);
    const path =
      importedSite === null || posts.length === 0
        ? null
        : await readPostPath(c.get('reader'), importedSite, posts);
    return c.json({ path }, 200);
  });
}

/** Returns the path of the first of these posts that is visible. A hidden post is like one that never existed. */
async function readPostPath(db: Reader, site: string, posts: readonly number[]): Promise<string | null> {
  const { rows } = await sql<{ question_id: string; answer_id: string | null }>`
    select coalesce(answer.question_id, question.id) as question_id, answer.id as answer_id
    from unnest(${posts}::bigint[]) with ordinality as wanted (post, position)
    join import_source source on source.site = ${site} or ${site} = any(source.former_sites)
    join imported_row known on known.source_id = source.id and known.kind in ('question', 'answer')
      and known.source_key = wanted.post::text
    left join question on known.kind = 'question' and question.id = known.id
    left join answer on known.kind = 'answer' and answer.id = known.id
    where coalesce(question.id, answer.id) is not null
    order by position limit 1`.execute(db);
  return rows[0] === undefined ? null : getPostPath(rows[0]);
}
