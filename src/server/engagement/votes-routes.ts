import { idParam, type PostKind, type VoteDirection } from '#shared/core/fields.ts';
import { createRoute } from '@hono/zod-openapi';
import {
  createRouter,
  jsonBody,
  jsonResponse,
  problemResponses,
  type RouteDeps,
  type Viewer,
} from '#server/core/http.ts';
import type { WriteLimits } from '#server/posts/index.ts';
import { voteDraft, voteState } from '#shared/engagement/votes.ts';
import { createVoteBatcher } from './votes.ts';

const voteOn = <Path extends string>(path: Path, what: string) =>
  createRoute({
    method: 'put',
    path,
    summary: `Set, switch or remove your vote on ${what}`,
    request: { params: idParam, body: jsonBody(voteDraft) },
    responses: {
      200: jsonResponse(voteState, 'The current counts and your vote'),
      ...problemResponses,
    },
  });

const voteOnQuestion = voteOn('/questions/{id}/vote', 'a question');
const voteOnAnswer = voteOn('/answers/{id}/vote', 'an answer');
const voteOnReply = voteOn('/replies/{id}/vote', 'a reply');

export function voteRoutes({ db, settings, limits }: RouteDeps & { limits: WriteLimits }) {
  const castVote = createVoteBatcher({ db, settings });
  return createRouter()
    .openapi(voteOnQuestion, async (c) => {
      const wanted = { viewer: c.get('viewer'), ...c.req.valid('param'), ...c.req.valid('json') };
      return c.json(await set('question', wanted), 200);
    })
    .openapi(voteOnAnswer, async (c) => {
      const wanted = { viewer: c.get('viewer'), ...c.req.valid('param'), ...c.req.valid('json') };
      return c.json(await set('answer', wanted), 200);
    })
    .openapi(voteOnReply, async (c) => {
      const wanted = { viewer: c.get('viewer'), ...c.req.valid('param'), ...c.req.valid('json') };
      return c.json(await set('reply', wanted), 200);
    });

  async function set(
    kind: PostKind,
    { viewer, id, vote }: { viewer: Viewer; id: number; vote: VoteDirection | null },
  ) {
    await limits.vote(viewer.id);
    return castVote({ target: { kind, id }, viewer, vote });
  }
}
