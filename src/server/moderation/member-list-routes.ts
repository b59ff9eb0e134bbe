import { createRoute, z } from '@hono/zod-openapi';
import { csvHeaders, type CsvValue, streamCsv } from '#server/core/csv.ts';
import { createRouter, jsonResponse, problemResponses, type RouteDeps } from '#server/core/http.ts';
import { type ListedMember, memberList, memberListQuery } from '#shared/moderation/member-list.ts';
import { exportMembers, readMemberList } from './member-list.ts';
import { type ModeratorEnv, moderatorsOnly, requireAdmin } from './moderator.ts';

const list = createRoute({
  method: 'get',
  path: '/moderation/members',
  summary: 'For moderators: list or search the members with an account, 100 at a time',
  request: { query: memberListQuery },
  responses: { 200: jsonResponse(memberList, 'The latest first, or by name'), ...problemResponses },
});

const csv = createRoute({
  method: 'get',
  path: '/admin/members.csv',
  summary: 'For admins: download the list of members with their email addresses as CSV',
  request: { query: memberListQuery.pick({ show: true }) },
  responses: {
    200: {
      description: 'A line per member, the latest first',
      content: { 'text/csv': { schema: z.string() } },
    },
    ...problemResponses,
  },
});

export function memberListRoutes({ siteSettings, settings: { publicUrl } }: RouteDeps) {
  const routes = createRouter<ModeratorEnv>();
  routes.use('/moderation/members', moderatorsOnly);
  return routes
    .openapi(list, async (c) => {
      const wanted = { moderator: c.get('moderator'), ...c.req.valid('query') };
      const rules = { settings: siteSettings, publicUrl };
      return c.json(await readMemberList(c.get('reader'), { ...wanted, cursor: wanted.cursor, rules }), 200);
    })
    .openapi(csv, async (c) => {
      requireAdmin(c.get('viewer'));
      const members = exportMembers(c.get('reader'), c.req.valid('query'));
      return c.body(streamCsv(columns, toLines(members)), 200, csvHeaders('members'));
    });
}

const columns = [
  'id',
  'name',
  'email',
  'role',
  'registered_at',
  'last_sign_in_at',
  'reputation',
  'questions',
  'answers',
  'suspended_until',
  'pending_step',
  'activity_removed',
  'emails_off_since',
];

async function* toLines(
  members: AsyncIterable<ListedMember & { email: string }>,
): AsyncGenerator<readonly CsvValue[]> {
  for await (const each of members)
    yield [
      each.id,
      each.displayName,
      each.email,
      each.role,
      each.registeredAt,
      each.lastSignInAt,
      each.reputation,
      each.questions,
      each.answers,
      each.suspendedUntil,
      each.pendingStep,
      each.isRemoved ? 'yes' : 'no',
      each.emailsOff?.since ?? null,
    ];
}
