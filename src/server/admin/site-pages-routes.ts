import { createRoute, z } from '@hono/zod-openapi';
import { ProblemError } from '#server/core/errors.ts';
import {
  createRouter,
  jsonResponse,
  problemResponses,
  type RouteDeps,
  type VisitorEnv,
} from '#server/core/http.ts';
import { sitePageNames } from '#shared/core/site-page-names.ts';
import { sitePage } from '#shared/core/site-pages.ts';

const read = createRoute({
  method: 'get',
  path: '/site-pages/{name}',
  summary: 'Get a page of the site, such as its rules',
  request: { params: z.object({ name: z.enum(sitePageNames) }) },
  responses: { 200: jsonResponse(sitePage, 'The page'), ...problemResponses },
});

/** The pages whose texts are site settings. Everyone may read them, also without public reading. */
export function sitePageRoutes({ siteSettings }: Pick<RouteDeps, 'siteSettings'>) {
  return createRouter<VisitorEnv>().openapi(read, (c) => {
    const { name } = c.req.valid('param');
    const text = siteSettings.get(`${name}Page`);
    if (text === '') throw new ProblemError('page-not-found');
    return c.json({ name, text }, 200);
  });
}
