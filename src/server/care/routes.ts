import { createRoute, z } from '@hono/zod-openapi';
import { createMiddleware } from 'hono/factory';
import { answers, type Deps, json, problems, router, type SignedInEnv } from '#server/platform/http.ts';
import type { PostingLimits } from '#server/posts/limits.ts';
import {
  careLog,
  careMember,
  type CarePost,
  careQueue,
  flagDraft,
  flagState,
  hiddenPosts,
  memberActionDraft,
  notices,
  noticesSeen,
  postActionDraft,
} from '#shared/care.ts';
import { cursorQuery, idParam } from '#shared/fields.ts';
import { actOnPost } from './actions.ts';
import { readFlag, setFlag } from './flags.ts';
import { readHidden } from './hidden.ts';
import { readLog } from './log.ts';
import { actOnMember, type CareDeps, readCareMember } from './members.ts';
import { readNotices, seeNotices } from './notices.ts';
import { operatorOf } from './operator.ts';
import { readQueue } from './queue.ts';

const flagOn = <Path extends string>(path: Path, what: string) => ({
  read: createRoute({
    method: 'get',
    path,
    summary: `The own flag on ${what}`,
    request: { params: idParam },
    responses: { 200: answers(flagState, 'As it is now'), ...problems },
  }),
  set: createRoute({
    method: 'put',
    path,
    summary: `Flag ${what} for the operators, change that, or take it back`,
    request: { params: idParam, body: json(flagDraft) },
    responses: { 200: answers(flagState, 'As it is now'), ...problems },
  }),
});

const questionFlag = flagOn('/questions/{id}/flag', 'a question');
const answerFlag = flagOn('/answers/{id}/flag', 'an answer');
const replyFlag = flagOn('/replies/{id}/flag', 'a reply');

const hidden = createRoute({
  method: 'get',
  path: '/questions/{id}/hidden',
  summary: 'What of a question others do not see: the own posts, for operators all',
  request: { params: idParam },
  responses: { 200: answers(hiddenPosts, 'In the order in which they were hidden'), ...problems },
});

const listNotices = createRoute({
  method: 'get',
  path: '/notices',
  summary: 'What the operators told the member and they have not seen yet',
  responses: { 200: answers(notices, 'The first first'), ...problems },
});

const noteNotices = createRoute({
  method: 'put',
  path: '/notices/seen',
  summary: 'The member has seen what they were told, up to one of them',
  request: { body: json(noticesSeen) },
  responses: { 204: { description: 'Noted' }, ...problems },
});

const log = createRoute({
  method: 'get',
  path: '/care/log',
  summary: 'What operators did and why',
  request: { query: z.object({ cursor: cursorQuery }) },
  responses: { 200: answers(careLog, 'The latest first'), ...problems },
});

const queue = createRoute({
  method: 'get',
  path: '/care/queue',
  summary: 'For operators: posts with open flags',
  request: { query: z.object({ cursor: cursorQuery }) },
  responses: { 200: answers(careQueue, 'Most flags first'), ...problems },
});

const postAct = createRoute({
  method: 'post',
  path: '/care/post-actions',
  summary: 'For operators: do something about a post',
  request: { body: json(postActionDraft) },
  responses: { 204: { description: 'Done, and written down' }, ...problems },
});

const memberAct = createRoute({
  method: 'post',
  path: '/care/member-actions',
  summary: 'For operators: do something about a member',
  request: { body: json(memberActionDraft) },
  responses: { 204: { description: 'Done or begun, and written down' }, ...problems },
});

const member = createRoute({
  method: 'get',
  path: '/care/members/{id}',
  summary: 'For operators: how a member stands, and how far the undoing of what they did is',
  request: { params: idParam },
  responses: { 200: answers(careMember, 'As it is now'), ...problems },
});

/** Before anything else is said about the request. */
const operatorsOnly = createMiddleware<SignedInEnv>(async (c, next) => {
  operatorOf(c.get('viewer'));
  await next();
});

export type CareRoutesDeps = Deps & { limits: PostingLimits; care: CareDeps };

/** Flags, notices and the log are for every member; for all else there is nothing here but for operators. */
export function careRoutes({ db, limits, care }: CareRoutesDeps) {
  const kinds = {
    question: (id: number): CarePost => ({ kind: 'question', id }),
    answer: (id: number): CarePost => ({ kind: 'answer', id }),
    reply: (id: number): CarePost => ({ kind: 'reply', id }),
  };
  const routes = router();
  for (const path of ['/care/queue', '/care/post-actions', '/care/member-actions', '/care/members/*'])
    routes.use(path, operatorsOnly);
  return routes
    .openapi(questionFlag.read, async (c) => {
      const post = kinds.question(c.req.valid('param').id);
      return c.json(await readFlag(db, { post, viewer: c.get('viewer') }), 200);
    })
    .openapi(answerFlag.read, async (c) => {
      const post = kinds.answer(c.req.valid('param').id);
      return c.json(await readFlag(db, { post, viewer: c.get('viewer') }), 200);
    })
    .openapi(replyFlag.read, async (c) => {
      const post = kinds.reply(c.req.valid('param').id);
      return c.json(await readFlag(db, { post, viewer: c.get('viewer') }), 200);
    })
    .openapi(questionFlag.set, async (c) => {
      const flag = { viewer: c.get('viewer'), draft: c.req.valid('json') };
      await limits.flag(flag.viewer.id);
      return c.json(await setFlag(db, { ...flag, post: kinds.question(c.req.valid('param').id) }), 200);
    })
    .openapi(answerFlag.set, async (c) => {
      const flag = { viewer: c.get('viewer'), draft: c.req.valid('json') };
      await limits.flag(flag.viewer.id);
      return c.json(await setFlag(db, { ...flag, post: kinds.answer(c.req.valid('param').id) }), 200);
    })
    .openapi(replyFlag.set, async (c) => {
      const flag = { viewer: c.get('viewer'), draft: c.req.valid('json') };
      await limits.flag(flag.viewer.id);
      return c.json(await setFlag(db, { ...flag, post: kinds.reply(c.req.valid('param').id) }), 200);
    })
    .openapi(hidden, async (c) => {
      const items = await readHidden(db, { questionId: c.req.valid('param').id, viewer: c.get('viewer') });
      return c.json({ items }, 200);
    })
    .openapi(listNotices, async (c) => c.json({ items: await readNotices(db, c.get('viewer')) }, 200))
    .openapi(noteNotices, async (c) => {
      await seeNotices(db, { viewer: c.get('viewer'), ...c.req.valid('json') });
      return c.body(null, 204);
    })
    .openapi(log, async (c) => {
      const { cursor } = c.req.valid('query');
      return c.json(await readLog(c.get('reading'), { viewer: c.get('viewer'), cursor }), 200);
    })
    .openapi(queue, async (c) => {
      return c.json(await readQueue(db, c.req.valid('query').cursor), 200);
    })
    .openapi(postAct, async (c) => {
      await actOnPost(db, { operator: operatorOf(c.get('viewer')), draft: c.req.valid('json') });
      return c.body(null, 204);
    })
    .openapi(memberAct, async (c) => {
      const operator = operatorOf(c.get('viewer'));
      await actOnMember(db, { operator, draft: c.req.valid('json'), deps: care });
      return c.body(null, 204);
    })
    .openapi(member, async (c) => {
      return c.json(await readCareMember(db, c.req.valid('param').id), 200);
    });
}
