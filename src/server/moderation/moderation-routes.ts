import { createRoute, z } from '@hono/zod-openapi';
import { createMiddleware } from 'hono/factory';
import {
  createRouter,
  jsonBody,
  jsonResponse,
  problemResponses,
  type RouteDeps,
  type SignedInEnv,
} from '#server/core/http.ts';
import type { WriteLimits } from '#server/posts/write-limits.ts';
import {
  hiddenPosts,
  memberActionDraft,
  moderatedMember,
  moderationLog,
  moderatorMessages,
  moderatorMessagesSeen,
  postActionDraft,
  type PostRef,
  reportDraft,
  reportState,
  reviewQueue,
} from '#shared/moderation/moderation.ts';
import { cursorQuery, idParam } from '#shared/core/fields.ts';
import { actOnPost } from './post-actions.ts';
import { readReport, readReviewQueue, setReport } from './reports.ts';
import { readHiddenPosts } from './hidden-posts.ts';
import { readModerationLog } from './moderation-log.ts';
import { actOnMember, type ModerationDeps, readModeratedMember } from './member-actions.ts';
import { markMessagesSeen, readModeratorMessages } from './moderator-messages.ts';
import { requireModerator } from './moderator.ts';

const createReportRoutes = <Path extends string>(path: Path, what: string) => ({
  read: createRoute({
    method: 'get',
    path,
    summary: `The own flag on ${what}`,
    request: { params: idParam },
    responses: { 200: jsonResponse(reportState, 'As it is now'), ...problemResponses },
  }),
  set: createRoute({
    method: 'put',
    path,
    summary: `Flag ${what} for the operators, change that, or take it back`,
    request: { params: idParam, body: jsonBody(reportDraft) },
    responses: { 200: jsonResponse(reportState, 'As it is now'), ...problemResponses },
  }),
});

const questionReport = createReportRoutes('/questions/{id}/flag', 'a question');
const answerReport = createReportRoutes('/answers/{id}/flag', 'an answer');
const replyReport = createReportRoutes('/replies/{id}/flag', 'a reply');

const hidden = createRoute({
  method: 'get',
  path: '/questions/{id}/hidden',
  summary: 'What of a question others do not see: the own posts, for operators all',
  request: { params: idParam },
  responses: {
    200: jsonResponse(hiddenPosts, 'In the order in which they were hidden'),
    ...problemResponses,
  },
});

const listMessages = createRoute({
  method: 'get',
  path: '/notices',
  summary: 'What the operators told the member and they have not seen yet',
  responses: { 200: jsonResponse(moderatorMessages, 'The first first'), ...problemResponses },
});

const markSeen = createRoute({
  method: 'put',
  path: '/notices/seen',
  summary: 'The member has seen what they were told, up to one of them',
  request: { body: jsonBody(moderatorMessagesSeen) },
  responses: { 204: { description: 'Noted' }, ...problemResponses },
});

const log = createRoute({
  method: 'get',
  path: '/care/log',
  summary: 'What operators did and why',
  request: { query: z.object({ cursor: cursorQuery }) },
  responses: { 200: jsonResponse(moderationLog, 'The latest first'), ...problemResponses },
});

const queue = createRoute({
  method: 'get',
  path: '/care/queue',
  summary: 'For operators: posts with open flags',
  request: { query: z.object({ cursor: cursorQuery }) },
  responses: { 200: jsonResponse(reviewQueue, 'Most flags first'), ...problemResponses },
});

const postActionRoute = createRoute({
  method: 'post',
  path: '/care/post-actions',
  summary: 'For operators: do something about a post',
  request: { body: jsonBody(postActionDraft) },
  responses: { 204: { description: 'Done, and written down' }, ...problemResponses },
});

const memberActionRoute = createRoute({
  method: 'post',
  path: '/care/member-actions',
  summary: 'For operators: do something about a member',
  request: { body: jsonBody(memberActionDraft) },
  responses: { 204: { description: 'Done or begun, and written down' }, ...problemResponses },
});

const member = createRoute({
  method: 'get',
  path: '/care/members/{id}',
  summary: 'For operators: how a member stands, and how far the undoing of what they did is',
  request: { params: idParam },
  responses: { 200: jsonResponse(moderatedMember, 'As it is now'), ...problemResponses },
});

/** Before anything else is said about the request. */
const moderatorsOnly = createMiddleware<SignedInEnv>(async (c, next) => {
  requireModerator(c.get('viewer'));
  await next();
});

export type ModerationRoutesDeps = RouteDeps & { limits: WriteLimits; moderation: ModerationDeps };

/** Flags, notices and the log are for every member; for all else there is nothing here but for operators. */
export function moderationRoutes({ db, limits, moderation }: ModerationRoutesDeps) {
  const kinds = {
    question: (id: number): PostRef => ({ kind: 'question', id }),
    answer: (id: number): PostRef => ({ kind: 'answer', id }),
    reply: (id: number): PostRef => ({ kind: 'reply', id }),
  };
  const routes = createRouter();
  for (const path of ['/care/queue', '/care/post-actions', '/care/member-actions', '/care/members/*'])
    routes.use(path, moderatorsOnly);
  return routes
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
      const flag = { viewer: c.get('viewer'), draft: c.req.valid('json') };
      await limits.report(flag.viewer.id);
      return c.json(await setReport(db, { ...flag, post: kinds.question(c.req.valid('param').id) }), 200);
    })
    .openapi(answerReport.set, async (c) => {
      const flag = { viewer: c.get('viewer'), draft: c.req.valid('json') };
      await limits.report(flag.viewer.id);
      return c.json(await setReport(db, { ...flag, post: kinds.answer(c.req.valid('param').id) }), 200);
    })
    .openapi(replyReport.set, async (c) => {
      const flag = { viewer: c.get('viewer'), draft: c.req.valid('json') };
      await limits.report(flag.viewer.id);
      return c.json(await setReport(db, { ...flag, post: kinds.reply(c.req.valid('param').id) }), 200);
    })
    .openapi(hidden, async (c) => {
      const items = await readHiddenPosts(db, {
        questionId: c.req.valid('param').id,
        viewer: c.get('viewer'),
      });
      return c.json({ items }, 200);
    })
    .openapi(listMessages, async (c) =>
      c.json({ items: await readModeratorMessages(db, c.get('viewer')) }, 200),
    )
    .openapi(markSeen, async (c) => {
      await markMessagesSeen(db, { viewer: c.get('viewer'), ...c.req.valid('json') });
      return c.body(null, 204);
    })
    .openapi(log, async (c) => {
      const { cursor } = c.req.valid('query');
      return c.json(await readModerationLog(c.get('reader'), { viewer: c.get('viewer'), cursor }), 200);
    })
    .openapi(queue, async (c) => {
      return c.json(await readReviewQueue(db, c.req.valid('query').cursor), 200);
    })
    .openapi(postActionRoute, async (c) => {
      await actOnPost(db, { moderator: requireModerator(c.get('viewer')), draft: c.req.valid('json') });
      return c.body(null, 204);
    })
    .openapi(memberActionRoute, async (c) => {
      const moderator = requireModerator(c.get('viewer'));
      await actOnMember(db, { moderator, draft: c.req.valid('json'), deps: moderation });
      return c.body(null, 204);
    })
    .openapi(member, async (c) => {
      return c.json(await readModeratedMember(db, c.req.valid('param').id), 200);
    });
}
