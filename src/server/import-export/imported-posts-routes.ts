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
import { listMatchingAddresses, parseOldAddress } from './old-addresses.ts';
import { getRedirectPath, redirectTargets } from './redirect-targets.ts';
import { getLinkedPosts } from './stack-exchange-links.ts';
import { getPostPath } from './stack-exchange-links-queries.ts';

const find = createRoute({
  method: 'get',
  path: '/imported-posts',
  summary: 'Where the post, member or tag is that had this address on the imported site',
  request: { query: z.object({ address: z.string().max(2000).default('') }) },
  responses: {
    200: jsonResponse(
      importedPost,
      'Null for addresses of nothing that is visible here, and if no site is set',
    ),
    ...problemResponses,
  },
});

export function importedPostRoutes({ settings: { importedSite } }: RouteDeps) {
  return createRouter<PublicEnv>().openapi(find, async (c) => {
    const path =
      importedSite === null
        ? null
        : await readPath(c.get('reader'), importedSite, c.req.valid('query').address);
    return c.json({ path }, 200);
  });
}

/** Returns the path of what an address leads to. What is hidden is like what never existed. */
async function readPath(db: Reader, site: string, address: string): Promise<string | null> {
  const redirected = await readRedirectPath(db, site, address);
  if (redirected !== null) return redirected;
  const posts = getLinkedPosts(address, [site]);
  return posts.length === 0 ? null : readPostPath(db, site, posts);
}

/** An address with more parameters is preferred, and of two with one, as in '?t=12&p=34', that of an answer. */
async function readRedirectPath(db: Reader, site: string, address: string): Promise<string | null> {
  const parsed = parseOldAddress(address);
  if (parsed === null) return null;
  const { addresses, sizes } = listMatchingAddresses(parsed);
  const { rows } = await sql<Parameters<typeof getRedirectPath>[0]>`
    select ${sql.raw(redirectTargets.columns)}
    from unnest(${addresses}::text[], ${sizes}::int[]) as wanted (address, size)
    join import_source source on source.site = ${site} or ${site} = any(source.former_sites)
    join imported_redirect redirect on redirect.source_id = source.id and redirect.address = wanted.address
    ${sql.raw(redirectTargets.joins)}
    where ${sql.raw(redirectTargets.isVisible)}
    order by size desc, redirect.kind in ('answer', 'reply') desc, wanted.address limit 1`.execute(db);
  return rows[0] === undefined ? null : getRedirectPath(rows[0]);
}

/** Returns the path of the first of these posts of a Stack Exchange site that is visible. */
async function readPostPath(db: Reader, site: string, posts: readonly number[]): Promise<string | null> {
  const { rows } = await sql<{ question_id: string; answer_id: string | null }>`
    select coalesce(answer.question_id, question.id) as question_id, answer.id as answer_id
    from unnest(${posts}::bigint[]) with ordinality as wanted (post, position)
    join import_source source on source.site = ${site} or ${site} = any(source.former_sites)
    join imported_row known on known.source_id = source.id and known.kind in ('question', 'answer')
      and known.source_key = wanted.post::text
    -- Posts of JSON lines have the paths of their pages as keys.
    left join question on known.kind = 'question' and question.id = known.id and question.source_key = known.source_key
    left join answer on known.kind = 'answer' and answer.id = known.id and answer.source_key = known.source_key
    where coalesce(question.id, answer.id) is not null
    order by position limit 1`.execute(db);
  return rows[0] === undefined ? null : getPostPath(rows[0]);
}
