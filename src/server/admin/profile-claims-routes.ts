import { createRoute, z } from '@hono/zod-openapi';
import { createRouter, jsonBody, jsonResponse, problemResponses, type RouteDeps } from '#server/core/http.ts';
import type { ReachableHosts } from '#server/core/outgoing-request.ts';
import { createMemberLimit } from '#server/core/rate-limits.ts';
import type { SignInProviders } from '#server/identity/index.ts';
import { moderatorsOnly, requireModerator } from '#server/moderation/index.ts';
import {
  claimDecision,
  claimIdentityProof,
  claimProof,
  claimRequestDraft,
  profileClaim,
  requestedClaims,
} from '#shared/admin/profile-claims.ts';
import { cursorQuery, idParam } from '#shared/core/fields.ts';
import type { QueueAccountMerge } from './account-merge.ts';
import {
  askModerators,
  beginClaim,
  claimByIdentity,
  decideClaim,
  proveClaim,
  readClaim,
  readRequestedClaims,
  withdrawClaim,
} from './profile-claims.ts';

const read = createRoute({
  method: 'get',
  path: '/members/{id}/claim',
  summary: 'Get how you can claim an imported profile as yours',
  request: { params: idParam },
  responses: { 200: jsonResponse(profileClaim, 'The current state'), ...problemResponses },
});

const begin = createRoute({
  method: 'put',
  path: '/members/{id}/claim',
  summary: 'Claim an imported profile: get a text to put into the profile on its site',
  request: { params: idParam },
  responses: { 200: jsonResponse(profileClaim, 'The claim'), ...problemResponses },
});

const withdraw = createRoute({
  method: 'delete',
  path: '/members/{id}/claim',
  summary: 'Withdraw your claim of a profile',
  request: { params: idParam },
  responses: { 204: { description: 'There is no claim' }, ...problemResponses },
});

const prove = createRoute({
  method: 'post',
  path: '/members/{id}/claim/proof',
  summary:
    'Look for the text of your claim on the page of the profile on its site; if it is there, the profile becomes yours',
  request: { params: idParam },
  responses: { 200: jsonResponse(claimProof, 'What was found'), ...problemResponses },
});

const claimWithIdentity = createRoute({
  method: 'post',
  path: '/members/{id}/claim/identity',
  summary: 'Claim an imported profile whose account at a sign-in provider is one that you have linked',
  request: { params: idParam },
  responses: {
    200: jsonResponse(claimIdentityProof, 'Whether the profile becomes yours'),
    ...problemResponses,
  },
});

const ask = createRoute({
  method: 'put',
  path: '/members/{id}/claim/request',
  summary: 'Ask the moderators to approve your claim of a profile',
  request: { params: idParam, body: jsonBody(claimRequestDraft) },
  responses: { 204: { description: 'The moderators see it' }, ...problemResponses },
});

const list = createRoute({
  method: 'get',
  path: '/moderation/claims',
  summary: 'For moderators: list claims of imported profiles that wait for a decision',
  request: { query: z.object({ cursor: cursorQuery }) },
  responses: { 200: jsonResponse(requestedClaims, 'The oldest first'), ...problemResponses },
});

const decide = createRoute({
  method: 'put',
  path: '/moderation/claims/{id}/decision',
  summary: 'For moderators: approve a claim, which merges the profile into the account, or decline it',
  request: { params: idParam, body: jsonBody(claimDecision) },
  responses: { 204: { description: 'Decided' }, ...problemResponses },
});

export type ProfileClaimDeps = Pick<RouteDeps, 'db'> & {
  /** Which sites may be read: those that web hooks may reach. */
  webhookHosts: ReachableHosts;
  queueAccountMerge: QueueAccountMerge | undefined;
  signInProviders: Pick<SignInProviders, 'list'>;
};

/** Claims of imported profiles (docs/decisions/109). */
export function profileClaimRoutes({
  db,
  webhookHosts: hosts,
  queueAccountMerge: queueMerge,
  signInProviders,
}: ProfileClaimDeps) {
  const hour = { code: 'too-many-claims', seconds: 60 * 60 } as const;
  const limitClaims = createMemberLimit(db, { name: 'profile-claims', points: 20, ...hour });
  // Each reads a page of another site.
  const limitProofs = createMemberLimit(db, { name: 'profile-claim-proofs', points: 10, ...hour });
  const routes = createRouter();
  routes.use('/moderation/claims', moderatorsOnly);
  routes.use('/moderation/claims/*', moderatorsOnly);
  return routes
    .openapi(read, async (c) => {
      const wanted = { profileId: c.req.valid('param').id, memberId: c.get('viewer').id };
      return c.json(await readClaim(db, { ...wanted, signInProviders }), 200);
    })
    .openapi(begin, async (c) => {
      const wanted = { profileId: c.req.valid('param').id, memberId: c.get('viewer').id };
      await limitClaims(wanted.memberId);
      return c.json(await beginClaim(db, { ...wanted, signInProviders }), 200);
    })
    .openapi(withdraw, async (c) => {
      const wanted = { profileId: c.req.valid('param').id, memberId: c.get('viewer').id };
      await limitClaims(wanted.memberId);
      await withdrawClaim(db, wanted);
      return c.body(null, 204);
    })
    .openapi(prove, async (c) => {
      const wanted = { profileId: c.req.valid('param').id, memberId: c.get('viewer').id };
      await limitProofs(wanted.memberId);
      return c.json(await proveClaim(db, { ...wanted, hosts, queueMerge }), 200);
    })
    .openapi(claimWithIdentity, async (c) => {
      const wanted = { profileId: c.req.valid('param').id, memberId: c.get('viewer').id };
      await limitProofs(wanted.memberId);
      return c.json(await claimByIdentity(db, { ...wanted, signInProviders, queueMerge }), 200);
    })
    .openapi(ask, async (c) => {
      const wanted = { profileId: c.req.valid('param').id, memberId: c.get('viewer').id };
      await limitClaims(wanted.memberId);
      await askModerators(db, { ...wanted, ...c.req.valid('json') });
      return c.body(null, 204);
    })
    .openapi(list, async (c) => c.json(await readRequestedClaims(db, c.req.valid('query').cursor), 200))
    .openapi(decide, async (c) => {
      const moderator = requireModerator(c.get('viewer'));
      const { id } = c.req.valid('param');
      await decideClaim(db, { id, moderatorId: moderator.id, draft: c.req.valid('json'), queueMerge });
      return c.body(null, 204);
    });
}
