import { createRoute } from '@hono/zod-openapi';
import { createRouter, jsonBody, jsonResponse, problemResponses, type RouteDeps } from '#server/core/http.ts';
import type { WriteLimits } from '#server/posts/index.ts';
import { idParam } from '#shared/core/fields.ts';
import { closeVoteDraft, closeVotes } from '#shared/moderation/close-votes.ts';
import { readCloseVotes, setCloseVote } from './close-votes.ts';

const path = '/questions/{id}/close-votes';

const read = createRoute({
  method: 'get',
  path,
  summary: 'Get the votes to close a question as a duplicate, or to reopen it',
  request: { params: idParam },
  responses: { 200: jsonResponse(closeVotes, 'The current state'), ...problemResponses },
});

const set = createRoute({
  method: 'put',
  path,
  summary: 'Vote to close a question as a duplicate or to reopen it, or withdraw the vote',
  request: { params: idParam, body: jsonBody(closeVoteDraft) },
  responses: { 200: jsonResponse(closeVotes, 'The current state'), ...problemResponses },
});

/** Closing duplicates by votes of members. */
export function closeVoteRoutes({ db, limits, siteSettings: settings }: RouteDeps & { limits: WriteLimits }) {
  return createRouter()
    .openapi(read, async (c) => {
      const { id } = c.req.valid('param');
      return c.json(await readCloseVotes(db, { id, viewer: c.get('viewer'), settings }), 200);
    })
    .openapi(set, async (c) => {
      const wanted = { ...c.req.valid('param'), viewer: c.get('viewer'), settings };
      await limits.vote(wanted.viewer.id);
      await setCloseVote(db, { ...wanted, draft: c.req.valid('json') });
      return c.json(await readCloseVotes(db, wanted), 200);
    });
}
