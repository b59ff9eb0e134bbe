import { createRoute, z } from '@hono/zod-openapi';
import { createRouter, jsonBody, jsonResponse, problemResponses, type RouteDeps } from '#server/core/http.ts';
import type { WriteLimits } from '#server/posts/index.ts';
import { cursorQuery, id, idParam } from '#shared/core/fields.ts';
import {
  memberNotes,
  memberPosts,
  memberPostsFilter,
  memberReports,
  memberReportsFilter,
  memberSignIns,
  networkAccounts,
  noteDeletion,
  noteDraft,
} from '#shared/moderation/member-page.ts';
import { moderationLog } from '#shared/moderation/moderation.ts';
import { addNote, editNote, readNotes, setDeletedNote } from './member-notes.ts';
import {
  readMemberPosts,
  readMemberReports,
  readNetworkAccounts,
  readSignIns,
  requireMember,
} from './member-page.ts';
import { readLogOfMember } from './moderation-log.ts';
import { type ModeratorEnv, moderatorsOnly } from './moderator.ts';

const paged = { params: idParam, query: z.object({ cursor: cursorQuery }) };

const posts = createRoute({
  method: 'get',
  path: '/moderation/members/{id}/posts',
  summary: 'For moderators: list the posts of a member, or those that are hidden or wait',
  request: {
    params: idParam,
    query: z.object({ show: memberPostsFilter.default('visible'), cursor: cursorQuery }),
  },
  responses: { 200: jsonResponse(memberPosts, 'The latest first'), ...problemResponses },
});

const reports = createRoute({
  method: 'get',
  path: '/moderation/members/{id}/reports',
  summary: 'For moderators: list the reports on posts of a member, or by the member',
  request: {
    params: idParam,
    query: z.object({ show: memberReportsFilter.default('about'), cursor: cursorQuery }),
  },
  responses: { 200: jsonResponse(memberReports, 'The latest first'), ...problemResponses },
});

const log = createRoute({
  method: 'get',
  path: '/moderation/members/{id}/log',
  summary: 'For moderators: list the moderation actions that concern a member',
  request: paged,
  responses: { 200: jsonResponse(moderationLog, 'The latest first'), ...problemResponses },
});

const signIns = createRoute({
  method: 'get',
  path: '/moderation/members/{id}/sign-ins',
  summary: 'For moderators: list the sign-ins of a member, with network; for admins with address',
  request: paged,
  responses: { 200: jsonResponse(memberSignIns, 'The latest first'), ...problemResponses },
});

const accounts = createRoute({
  method: 'get',
  path: '/moderation/sign-ins/{id}/accounts',
  summary: 'For moderators: list other accounts that signed in from the network of a sign-in',
  request: paged,
  responses: { 200: jsonResponse(networkAccounts, 'Those that registered last first'), ...problemResponses },
});

const notes = createRoute({
  method: 'get',
  path: '/moderation/members/{id}/notes',
  summary: 'For moderators: list the notes of moderators on a member',
  request: paged,
  responses: { 200: jsonResponse(memberNotes, 'The latest first'), ...problemResponses },
});

const add = createRoute({
  method: 'post',
  path: '/moderation/members/{id}/notes',
  summary: 'For moderators: add a note on a member, for moderators only',
  request: { params: idParam, body: jsonBody(noteDraft) },
  responses: { 201: jsonResponse(z.object({ id }), 'Added'), ...problemResponses },
});

const edit = createRoute({
  method: 'put',
  path: '/moderation/notes/{id}',
  summary: 'For moderators: change your note on a member',
  request: { params: idParam, body: jsonBody(noteDraft) },
  responses: { 204: { description: 'Changed' }, ...problemResponses },
});

const setDeletion = createRoute({
  method: 'put',
  path: '/moderation/notes/{id}/deletion',
  summary: 'For moderators: delete your note on a member, or restore it within a day',
  request: { params: idParam, body: jsonBody(noteDeletion) },
  responses: { 204: { description: 'Done' }, ...problemResponses },
});

/** What moderators see on the page of a member, and their notes. */
export function memberPageRoutes({ db, limits }: RouteDeps & { limits: WriteLimits }) {
  const routes = createRouter<ModeratorEnv>();
  for (const path of ['/moderation/members/*', '/moderation/sign-ins/*', '/moderation/notes/*'])
    routes.use(path, moderatorsOnly);
  routes.use('/moderation/members/:id{[0-9]+}/:list', async (c, next) => {
    const id = Number(c.req.param('id'));
    // Larger numbers are refused by the validation.
    if (Number.isSafeInteger(id)) await requireMember(c.get('reader'), id);
    return next();
  });
  return routes
    .openapi(posts, async (c) => {
      const wanted = { memberId: c.req.valid('param').id, ...c.req.valid('query') };
      return c.json(await readMemberPosts(c.get('reader'), { ...wanted, cursor: wanted.cursor }), 200);
    })
    .openapi(reports, async (c) => {
      const wanted = { memberId: c.req.valid('param').id, ...c.req.valid('query') };
      return c.json(await readMemberReports(c.get('reader'), { ...wanted, cursor: wanted.cursor }), 200);
    })
    .openapi(log, async (c) => {
      const moderator = c.get('moderator');
      const { id: memberId } = c.req.valid('param');
      const { cursor } = c.req.valid('query');
      return c.json(await readLogOfMember(c.get('reader'), { moderator, memberId, cursor }), 200);
    })
    .openapi(signIns, async (c) => {
      const moderator = c.get('moderator');
      const { id: memberId } = c.req.valid('param');
      const { cursor } = c.req.valid('query');
      return c.json(await readSignIns(c.get('reader'), { moderator, memberId, cursor }), 200);
    })
    .openapi(accounts, async (c) => {
      const { id: signInId } = c.req.valid('param');
      const { cursor } = c.req.valid('query');
      return c.json(await readNetworkAccounts(c.get('reader'), { signInId, cursor }), 200);
    })
    .openapi(notes, async (c) => {
      const moderator = c.get('moderator');
      const { id: memberId } = c.req.valid('param');
      const { cursor } = c.req.valid('query');
      return c.json(await readNotes(c.get('reader'), { memberId, moderator, cursor }), 200);
    })
    .openapi(add, async (c) => {
      const moderator = c.get('moderator');
      await limits.note(moderator.id);
      const { id: memberId } = c.req.valid('param');
      return c.json(await addNote(db, { memberId, moderator, ...c.req.valid('json') }), 201);
    })
    .openapi(edit, async (c) => {
      const moderator = c.get('moderator');
      await limits.note(moderator.id);
      await editNote(db, { id: c.req.valid('param').id, moderator, ...c.req.valid('json') });
      return c.body(null, 204);
    })
    .openapi(setDeletion, async (c) => {
      const moderator = c.get('moderator');
      await limits.note(moderator.id);
      await setDeletedNote(db, { id: c.req.valid('param').id, moderator, ...c.req.valid('json') });
      return c.body(null, 204);
    });
}
