import { type RawBuilder, sql } from 'kysely';
import { beginRemoval } from '#server/moderation/removals.ts';
import { setRole } from '#server/admin/roles.ts';
import { runActivityRemovals } from '#server/moderation/activity-removal.ts';
import type { Database } from '#server/core/database.ts';
import type { PostAction } from '#shared/moderation/moderation.ts';
import { encodeCursor } from '#server/core/cursor.ts';
import { type EndpointCall, get, findId, post, put, type CallContext } from './endpoint-calls.ts';

/** Calls for reports by members and for actions of moderators. */
export async function moderationCalls({
  busy,
  rareFollower,
  db,
  hotQuestionId,
  hotAnswerId,
}: CallContext): Promise<EndpointCall[]> {
  await setRole(db, { email: rareFollower.email, role: 'moderator' });
  const asked = await busy.ask({ tags: ['topic 77'] });
  const answered = await busy.answer(asked);
  const replied = await busy.replyToAnswer(answered.id);
  const reply = await findId(db, sql`select id from reply where answer_id = ${hotAnswerId}`);
  const inactive = await findId(
    db,
    sql`select id from member where questions_count = 0 and answers_count = 0 and role = 'member'`,
  );
  const [other, waiting, removed] = await idsOf(
    db,
    sql`select id from member where questions_count = 0 and answers_count = 0 and role = 'member' and id <> ${inactive}
      order by id limit 3`,
  );
  await sql`insert into registration (member_id, network, pending_step)
    values (${other}, '192.0.2.1', null), (${waiting}, '192.0.2.1', 'moderator')
    on conflict (member_id) do update set network = excluded.network, pending_step = excluded.pending_step`.execute(
    db,
  );
  const selection = { memberIds: [removed], network: null, from: null, to: null };
  const done = await beginRemoval(db, { selection, reason: 'So.', remover: { moderatorId: null } });
  await runActivityRemovals(db, Date.now() + 60_000);
  const about = (action: PostAction, more: object = {}) =>
    post(rareFollower, '/moderation/post-actions', {
      action,
      kind: 'question',
      id: asked,
      reason: 'So.',
      ...more,
    });
  const member = (action: string, until: string | null = null) =>
    post(rareFollower, '/moderation/member-actions', { action, memberId: inactive, reason: 'So.', until });
  const flags = [`/questions/${hotQuestionId}`, `/answers/${hotAnswerId}`, `/replies/${reply}`];
  return [
    ...flags.flatMap((path) => [
      put(rareFollower, `${path}/report`, { reason: 'spam', note: '' }),
      get(rareFollower, `${path}/report`),
    ]),
    get(rareFollower, '/moderation/queue'),
    get(rareFollower, `/moderation/queue?cursor=${encodeCursor({ after: 1, id: 2 })}`),
    about('lock'),
    about('unlock'),
    about('duplicate', { duplicateOf: hotQuestionId }),
    about('not_duplicate'),
    about('hide', { kind: 'reply', id: replied.id }),
    about('restore', { kind: 'reply', id: replied.id }),
    about('delete', { kind: 'answer', id: answered.id }),
    about('restore', { kind: 'answer', id: answered.id }),
    about('hide'),
    get(busy, `/questions/${asked}/hidden`),
    get(rareFollower, `/questions/${asked}/hidden`),
    get(busy, '/moderator-messages'),
    put(busy, '/moderator-messages/seen', { upTo: 1 }),
    about('restore'),
    about('dismiss', { id: hotQuestionId }),
    get(rareFollower, '/moderation/log'),
    get(rareFollower, `/moderation/log?cursor=${encodeCursor({ after: 0, id: 5 })}`),
    member('warn'),
    member('suspend', '2100-01-01T00:00:00.000Z'),
    member('lift_suspension'),
    get(rareFollower, `/moderation/members/${inactive}`),
    member('remove_activity'),
    get(rareFollower, '/moderation/registrations?hours=720'),
    get(rareFollower, '/moderation/registrations/accounts?network=192.0.2.1&hours=720'),
    get(
      rareFollower,
      `/moderation/registrations/accounts?network=192.0.2.1&cursor=${encodeCursor({ after: 0, id: other })}`,
    ),
    post(rareFollower, '/moderation/approvals', { memberIds: [waiting] }),
    post(rareFollower, '/moderation/removals/preview', { memberIds: [other] }),
    post(rareFollower, '/moderation/removals/preview', {
      network: '192.0.2.1',
      from: '2020-01-01T00:00:00.000Z',
    }),
    post(rareFollower, '/moderation/removals', { memberIds: [other], reason: 'So.' }),
    get(rareFollower, '/moderation/removals'),
    get(rareFollower, `/moderation/removals/${done}`),
    post(rareFollower, `/moderation/removals/${done}/restoration`, { reason: 'So.' }),
  ];
}

async function idsOf(db: Database, query: RawBuilder<unknown>): Promise<[number, number, number]> {
  const { rows } = await (query as RawBuilder<{ id: number }>).execute(db);
  const [first, second, third] = rows.map(({ id }) => id);
  if (first === undefined || second === undefined || third === undefined) throw new Error('too few members');
  return [first, second, third];
}
