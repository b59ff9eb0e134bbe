import { createRoute, z } from '@hono/zod-openapi';
import { createRouter, jsonBody, jsonResponse, problemResponses, type RouteDeps } from '#server/core/http.ts';
import type { WriteLimits } from '#server/posts/index.ts';
import {
  hiddenPosts,
  memberActionDraft,
  moderatedMember,
  moderationLog,
  moderationReasons,
  moderatorMessages,
  moderatorMessagesSeen,
  objectionDraft,
  postActionDraft,
  removedPosts,
  reportDraft,
  reportState,
  reviewCause,
  reviewClaimDraft,
  reviewCounts,
  reviewHistory,
  reviewQueue,
} from '#shared/moderation/moderation.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { cursorQuery, idParam } from '#shared/core/fields.ts';
import { actOnPost } from './post-actions.ts';
import { readReport, setReport } from './reports.ts';
import { readHiddenPosts } from './hidden-posts.ts';
import { readModerationLog, readReviewHistory } from './moderation-log.ts';
import { actOnMember, type ModerationDeps, readModeratedMember } from './member-actions.ts';
import { markMessagesSeen, readModeratorMessages } from './moderator-messages.ts';
import { objectToRemoval, readRemovedPosts } from './objections.ts';
import { claimItem, readReviewCounts, readReviewQueue, releaseItem } from './review-queue.ts';
import { withdrawHeldPost } from './held-posts.ts';
import { type ModeratorEnv, moderatorsOnly } from './moderator.ts';

const createReportRoutes = <Path extends string>(path: Path, what: string) => ({
  read: createRoute({
    method: 'get',
    path,
    summary: `Get your report on ${what}`,
    request: { params: idParam },
    responses: { 200: jsonResponse(reportState, 'The current state'), ...problemResponses },
  }),
  set: createRoute({
    method: 'put',
    path,
    summary: `Report ${what}, or change or withdraw the report`,
    request: { params: idParam, body: jsonBody(reportDraft) },
    responses: { 200: jsonResponse(reportState, 'The current state'), ...problemResponses },
  }),
});

const questionReport = createReportRoutes('/questions/{id}/report', 'a question');
const answerReport = createReportRoutes('/answers/{id}/report', 'an answer');
const replyReport = createReportRoutes('/replies/{id}/report', 'a reply');

const hidden = createRoute({
  method: 'get',
  path: '/questions/{id}/hidden',
  summary: 'Get the hidden posts of a question: your own, or all for moderators',
  request: { params: idParam, query: z.object({ cursor: cursorQuery }) },
  responses: {
    200: jsonResponse(hiddenPosts, 'The latest first'),
    ...problemResponses,
  },
});

const listMessages = createRoute({
  method: 'get',
  path: '/moderator-messages',
  summary: 'List unseen messages from the moderators',
  responses: { 200: jsonResponse(moderatorMessages, 'Oldest first'), ...problemResponses },
});

const markSeen = createRoute({
  method: 'put',
  path: '/moderator-messages/seen',
  summary: 'Mark messages from the moderators as seen, up to one of them',
  request: { body: jsonBody(moderatorMessagesSeen) },
  responses: { 204: { description: 'Recorded' }, ...problemResponses },
});

const object = createRoute({
  method: 'put',
  path: '/hidden-posts/{id}/objection',
  summary: 'Object to the removal of your post by a moderator, once',
  request: { params: idParam, body: jsonBody(objectionDraft) },
  responses: { 204: { description: 'Waits for a moderator' }, ...problemResponses },
});

const listRemoved = createRoute({
  method: 'get',
  path: '/removed-posts',
  summary: 'List your posts that moderators removed',
  request: { query: z.object({ cursor: cursorQuery }) },
  responses: { 200: jsonResponse(removedPosts, 'The latest first'), ...problemResponses },
});

const withdraw = createRoute({
  method: 'delete',
  path: '/held-posts/{id}',
  summary: 'Delete your post that waits for a moderator, or was rejected',
  request: { params: idParam },
  responses: { 204: { description: 'Deleted' }, ...problemResponses },
});

const log = createRoute({
  method: 'get',
  path: '/moderation/log',
  summary: 'List the moderation log',
  request: { query: z.object({ cursor: cursorQuery }) },
  responses: { 200: jsonResponse(moderationLog, 'Latest first'), ...problemResponses },
});

const queue = createRoute({
  method: 'get',
  path: '/moderation/queue',
  summary: 'For moderators: list the review queue, or the posts that wait for one cause',
  request: { query: z.object({ cause: reviewCause.optional(), cursor: cursorQuery }) },
  responses: { 200: jsonResponse(reviewQueue, 'Most reports first, then the latest'), ...problemResponses },
});

const queueCounts = createRoute({
  method: 'get',
  path: '/moderation/queue/counts',
  summary: 'For moderators: count what waits in the review queue',
  responses: { 200: jsonResponse(reviewCounts, 'The current count'), ...problemResponses },
});

const reasons = createRoute({
  method: 'get',
  path: '/moderation/reasons',
  summary: 'For moderators: list the reasons to choose from',
  responses: { 200: jsonResponse(moderationReasons, 'As in the site settings'), ...problemResponses },
});

const claim = createRoute({
  method: 'put',
  path: '/moderation/queue/{id}/claim',
  summary: 'For moderators: claim an entry of the review queue, so that others leave it alone',
  request: { params: idParam, body: jsonBody(reviewClaimDraft) },
  responses: { 204: { description: 'Claimed for ten minutes' }, ...problemResponses },
});

const release = createRoute({
  method: 'delete',
  path: '/moderation/queue/{id}/claim',
  summary: 'For moderators: end your claim of an entry of the review queue',
  request: { params: idParam },
  responses: { 204: { description: 'There is no own claim' }, ...problemResponses },
});

const history = createRoute({
  method: 'get',
  path: '/moderation/queue/{id}/history',
  summary: 'For moderators: list what moderators did before about the post of an entry of the review queue',
  request: { params: idParam },
  responses: { 200: jsonResponse(reviewHistory, 'The latest first'), ...problemResponses },
});

const postActionRoute = createRoute({
  method: 'post',
  path: '/moderation/post-actions',
  summary: 'For moderators: take an action on a post',
  request: { body: jsonBody(postActionDraft) },
  responses: { 204: { description: 'Done and logged' }, ...problemResponses },
});

const memberActionRoute = createRoute({
  method: 'post',
  path: '/moderation/member-actions',
  summary: 'For moderators: take an action on a member',
  request: { body: jsonBody(memberActionDraft) },
  responses: { 204: { description: 'Done or started, and logged' }, ...problemResponses },
});

const member = createRoute({
  method: 'get',
  path: '/moderation/members/{id}',
  summary: 'For moderators: get the state of a member and of a removal of their activity',
  request: { params: idParam },
  responses: { 200: jsonResponse(moderatedMember, 'The current state'), ...problemResponses },
});

export type ModerationRoutesDeps = RouteDeps & { limits: WriteLimits; moderation: ModerationDeps };

/** For every member: reports of posts, messages from the moderators, and the log. */
export function moderationRoutes({ db, limits }: ModerationRoutesDeps) {
  const kinds = {
    question: (id: number): PostRef => ({ kind: 'question', id }),
    answer: (id: number): PostRef => ({ kind: 'answer', id }),
    reply: (id: number): PostRef => ({ kind: 'reply', id }),
  };
  return createRouter()
    .openapi(questionReport.read, async (c) => {
      const post = kinds.question(c.req.valid('param').id);
      return c.json(await readReport(db, { post, viewer: c.get('viewer') }), 200);
    })
    .openapi(answerReport.read, async (c) => {
      const post = kinds.answer(c.req.valid('param').id);
      return c.json(await readReport(db, { post, viewer: c.get('viewer') }), 200);
    })
    .openapi(replyReport.read, async (c) => {
      const post = kinds.reply(c.req.valid('param').id);
      return c.json(await readReport(db, { post, viewer: c.get('viewer') }), 200);
    })
    .openapi(questionReport.set, async (c) => {
      const report = { viewer: c.get('viewer'), draft: c.req.valid('json') };
      await limits.report(report.viewer.id);
      return c.json(await setReport(db, { ...report, post: kinds.question(c.req.valid('param').id) }), 200);
    })
    .openapi(answerReport.set, async (c) => {
      const report = { viewer: c.get('viewer'), draft: c.req.valid('json') };
      await limits.report(report.viewer.id);
      return c.json(await setReport(db, { ...report, post: kinds.answer(c.req.valid('param').id) }), 200);
    })
    .openapi(replyReport.set, async (c) => {
      const report = { viewer: c.get('viewer'), draft: c.req.valid('json') };
      await limits.report(report.viewer.id);
      return c.json(await setReport(db, { ...report, post: kinds.reply(c.req.valid('param').id) }), 200);
    })
    .openapi(hidden, async (c) => {
      const { cursor } = c.req.valid('query');
      const wanted = { questionId: c.req.valid('param').id, viewer: c.get('viewer'), cursor };
      return c.json(await readHiddenPosts(db, wanted), 200);
    })
    .openapi(listMessages, async (c) =>
      c.json({ items: await readModeratorMessages(db, c.get('viewer')) }, 200),
    )
    .openapi(markSeen, async (c) => {
      await markMessagesSeen(db, { viewer: c.get('viewer'), ...c.req.valid('json') });
      return c.body(null, 204);
    })
    .openapi(object, async (c) => {
      const viewer = c.get('viewer');
      await limits.object(viewer.id);
      await objectToRemoval(db, { id: c.req.valid('param').id, viewer, ...c.req.valid('json') });
      return c.body(null, 204);
    })
    .openapi(listRemoved, async (c) => {
      const wanted = { viewer: c.get('viewer'), ...c.req.valid('query') };
      return c.json(await readRemovedPosts(db, wanted), 200);
    })
    .openapi(withdraw, async (c) => {
      await withdrawHeldPost(db, { id: c.req.valid('param').id, memberId: c.get('viewer').id });
      return c.body(null, 204);
    })
    .openapi(log, async (c) => {
      const { cursor } = c.req.valid('query');
      return c.json(await readModerationLog(c.get('reader'), { viewer: c.get('viewer'), cursor }), 200);
    });
}

/** The review queue, and actions on posts and members, for moderators only. */
export function moderatorRoutes({
  db,
  moderation,
  siteSettings,
  settings: { publicUrl },
}: ModerationRoutesDeps) {
  const routes = createRouter<ModeratorEnv>();
  for (const path of [
    '/moderation/queue/*',
    '/moderation/reasons',
    '/moderation/post-actions',
    '/moderation/member-actions',
    '/moderation/members/*',
  ])
    routes.use(path, moderatorsOnly);
  return routes
    .openapi(queue, async (c) => {
      return c.json(await readReviewQueue(db, c.req.valid('query')), 200);
    })
    .openapi(queueCounts, async (c) => c.json(await readReviewCounts(db), 200))
    .openapi(reasons, (c) => c.json({ items: [...siteSettings.get('moderationReasons')] }, 200))
    .openapi(claim, async (c) => {
      const moderator = c.get('moderator');
      await claimItem(db, { id: c.req.valid('param').id, moderator, ...c.req.valid('json') });
      return c.body(null, 204);
    })
    .openapi(release, async (c) => {
      const moderator = c.get('moderator');
      await releaseItem(db, { id: c.req.valid('param').id, moderator });
      return c.body(null, 204);
    })
    .openapi(history, async (c) => {
      return c.json({ items: await readReviewHistory(db, c.req.valid('param').id) }, 200);
    })
    .openapi(postActionRoute, async (c) => {
      const moderator = c.get('moderator');
      const posting = { publicUrl, settings: siteSettings };
      await actOnPost(db, { moderator, draft: c.req.valid('json'), posting });
      return c.body(null, 204);
    })
    .openapi(memberActionRoute, async (c) => {
      const moderator = c.get('moderator');
      await actOnMember(db, { moderator, draft: c.req.valid('json'), deps: moderation });
      return c.body(null, 204);
    })
    .openapi(member, async (c) => {
      const moderator = c.get('moderator');
      return c.json(await readModeratedMember(db, { id: c.req.valid('param').id, moderator }), 200);
    });
}
