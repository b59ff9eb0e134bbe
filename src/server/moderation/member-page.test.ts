import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { deleteOldSignIns } from '#server/identity/sign-ins.ts';
import type {
  MemberNotes,
  MemberPosts,
  MemberReports,
  MemberSignIns,
  NetworkAccounts,
} from '#shared/moderation/member-page.ts';
import type { ModeratedMember, ModerationLog } from '#shared/moderation/moderation.ts';
import type { Removal } from '#shared/moderation/removals.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { actOnMember, actOnPost } from '#tests/support/moderation.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { startTestServer } from '#tests/support/server.ts';
import { eventually } from '#tests/support/parley.ts';
import { runActivityRemovals } from './activity-removal.ts';
import { purgeDeletedNotes } from './member-notes-queries.ts';

const server = await startTestServer({ trustedProxies: 1 });
afterAll(() => server.stop());
const [moderator, second, admin, ann, bob] = [
  await server.register('Maud'),
  await server.register('Merle'),
  await server.register('Adele'),
  await server.register('Ann'),
  await server.register('Bob'),
];
await setRole(server.db, { email: moderator.email, role: 'moderator' });
await setRole(server.db, { email: second.email, role: 'moderator' });
await setRole(server.db, { email: admin.email, role: 'admin' });

/** Reads all pages of a list. */
async function readAll<Item>(reader: Member, path: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const separator = path.includes('?') ? '&' : '?';
    const page: { items: Item[]; nextCursor: string | null } = expectOk(
      await reader.get(`${path}${cursor === null ? '' : `${separator}cursor=${cursor}`}`),
    );
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

const postsOf = (member: Member, show: string) =>
  readAll<MemberPosts['items'][number]>(moderator, `/moderation/members/${member.id}/posts?show=${show}`);

test('lists the posts of a member of all kinds in the order of time, page by page, each once', async () => {
  const author = await server.register('Author');
  const question = await author.ask({ title: 'What is rye?', content: 'A *grain*?' });
  const answer = await author.answer(await ann.ask(), 'Rye '.repeat(60));
  const replied = await author.replyToAnswer(answer.id);
  await sql`
    insert into reply (question_id, answer_id, level, author_id, content, created_at)
    select question_id, id, 0, ${author.id}, 'So.', now() - interval '1 day' from answer, generate_series(1, 45)
    where id = ${answer.id}`.execute(server.db);
  const posts = await postsOf(author, 'visible');
  expect(posts).toHaveLength(48);
  expect(new Set(posts.map(({ kind, id }) => `${kind} ${id}`)).size).toBe(48);
  expect(posts.slice(0, 3).map(({ kind, id }) => [kind, id])).toEqual([
    ['reply', replied.id],
    ['answer', answer.id],
    ['question', question],
  ]);
  expect(posts[1]).toMatchObject({ excerpt: 'Rye '.repeat(50).trim(), excerptCut: true });
  expect(posts[2]).toMatchObject({
    title: 'What is rye?',
    excerpt: 'A grain?',
    excerptCut: false,
    status: 'visible',
  });
});

test('lists hidden posts with reason and objection apart from visible ones', async () => {
  const author = await server.register('Author');
  const question = await author.ask({ title: 'Hidden?' });
  expectOk(await actOnPost(moderator, 'hide', 'question', question));
  const [hidden] = await postsOf(author, 'hidden');
  expect(hidden).toMatchObject({
    kind: 'question',
    id: question,
    title: 'Hidden?',
    status: 'hidden',
    objection: null,
  });
  expect(await postsOf(author, 'visible')).toEqual([]);
  const { items } = expectOk(await author.get<{ items: { objectableId: number }[] }>('/moderator-messages'));
  expectOk(
    await author.put(`/hidden-posts/${items[0]?.objectableId}/objection`, { text: 'It is on topic.' }),
  );
  expect((await postsOf(author, 'hidden'))[0]?.objection).toEqual({
    text: 'It is on topic.',
    decided: false,
  });
});

test('lists reports on posts of a member without the reporters, and reports by a member', async () => {
  const author = await server.register('Author');
  const reporter = await server.register('Reporter');
  const question = await author.ask({ title: 'Reported?' });
  expectOk(
    await reporter.put(`/questions/${question}/report`, { reason: 'other', note: 'An advertisement.' }),
  );
  const path = (member: Member, show: string) => `/moderation/members/${member.id}/reports?show=${show}`;
  const about = expectOk(await moderator.get<MemberReports>(path(author, 'about')));
  expect(about.items).toMatchObject([
    {
      kind: 'question',
      postId: question,
      title: 'Reported?',
      note: 'An advertisement.',
      outcome: null,
      author: null,
    },
  ]);
  expect(JSON.stringify(about)).not.toContain('Reporter');
  const by = expectOk(await moderator.get<MemberReports>(path(reporter, 'by')));
  expect(by.items).toMatchObject([{ postId: question, author: { id: author.id, displayName: 'Author' } }]);
  expect(expectOk(await moderator.get<MemberReports>(path(reporter, 'about'))).items).toEqual([]);
});

test('lists the moderation actions that concern a member, and no others', async () => {
  const warned = await server.register('Warned');
  expectOk(await actOnMember(moderator, 'warn', warned.id));
  expectOk(await actOnMember(moderator, 'warn', ann.id));
  const log = expectOk(await moderator.get<ModerationLog>(`/moderation/members/${warned.id}/log`));
  expect(log.items).toMatchObject([{ action: 'warn', memberId: warned.id, moderatorName: 'Maud' }]);
});

test('lists the removals and restorations of several accounts that contained the member, page by page', async () => {
  const [spammer, other] = [await server.register('Spammer'), await server.register('Other')];
  const remove = async (memberIds: number[]) => {
    const body = { memberIds, reason: 'Advertising.' };
    return expectOk(await moderator.post<Removal>('/moderation/removals', body)).id;
  };
  const run = () => runActivityRemovals(server.db, Date.now() + 60_000);
  expectOk(await actOnMember(moderator, 'warn', spammer.id));
  await remove([other.id]);
  const id = await remove([spammer.id, ann.id]);
  await run();
  expectOk(await moderator.post(`/moderation/removals/${id}/restoration`, { reason: 'No spam.' }));
  await run();
  expectOk(await actOnMember(moderator, 'warn', spammer.id));
  const path = `/moderation/members/${spammer.id}/log`;
  const actions = (await readAll<ModerationLog['items'][number]>(moderator, path)).map(
    ({ action }) => action,
  );
  expect(actions).toEqual(['warn', 'bulk_restore_activity', 'bulk_remove_activity', 'warn']);
  await sql`
    insert into moderation_log (action, reason, member_id)
    select 'warn', 'So.', ${spammer.id} from generate_series(1, 30)`.execute(server.db);
  const all = await readAll<ModerationLog['items'][number]>(moderator, path);
  expect(all.map(({ action }) => action)).toEqual([...Array.from({ length: 30 }, () => 'warn'), ...actions]);
  expect((await readAll(moderator, `/moderation/members/${other.id}/log`)).length).toBe(1);
});

test('shows the facts of an account, and the email address to admins only', async () => {
  const seen = (reader: Member) => reader.get<ModeratedMember>(`/moderation/members/${bob.id}`);
  expect(expectOk(await seen(moderator))).toMatchObject({
    email: null,
    canSignIn: true,
    emailConfirmed: false,
    signInMethods: { password: true, provider: false, passkeys: 0, twoFactor: false },
  });
  expect(expectOk(await seen(admin))).toMatchObject({ email: bob.email, emailsOff: null });
});

test('shows since when emails to an account are off, and the words of the mail server to admins only', async () => {
  const away = await server.register('Away');
  await sql`
    update member set email_off_at = '2026-01-02 03:04:05+00', email_off_reason = ${`550 <${away.email}>`}
    where id = ${away.id}`.execute(server.db);
  const seen = async (reader: Member) =>
    expectOk(await reader.get<ModeratedMember>(`/moderation/members/${away.id}`)).emailsOff;
  expect(await seen(moderator)).toEqual({ since: '2026-01-02T03:04:05.000Z', reason: null });
  expect(await seen(admin)).toEqual({ since: '2026-01-02T03:04:05.000Z', reason: `550 <${away.email}>` });
});

test('records sign-ins with browser and network, and shows the address to admins only', async () => {
  const visitor = server.visitor();
  const headers = { 'x-forwarded-for': '203.0.113.77', 'user-agent': 'A browser' };
  const signedIn = await visitor.send('POST', '/session', {
    body: { email: bob.email, password },
    headers,
  });
  expect(signedIn.status).toBe(200);
  const path = `/moderation/members/${bob.id}/sign-ins`;
  const [latest, first] = expectOk(await moderator.get<MemberSignIns>(path)).items;
  expect(latest).toMatchObject({
    method: 'password',
    userAgent: 'A browser',
    network: '203.0.113.0/24',
    address: null,
  });
  expect(first?.method).toBe('registration');
  expect(expectOk(await admin.get<MemberSignIns>(path)).items[0]?.address).toBe('203.0.113.77');
  const ipv6 = { 'x-forwarded-for': '2001:db8:1:2:3::4' };
  expectOk(await visitor.send('POST', '/session', { body: { email: bob.email, password }, headers: ipv6 }));
  expect(expectOk(await admin.get<MemberSignIns>(path)).items[0]).toMatchObject({
    network: '2001:db8:1::/48',
    address: '2001:db8:1:2::/64',
  });
});

test('lists other accounts of a network, each once with its latest sign-in, page by page', async () => {
  const members = [];
  for (let index = 0; index < 24; index++) members.push(await server.register(`Neighbour ${index}`));
  await sql`
    insert into sign_in (member_id, method, address, network)
    select id, 'password', '198.51.100.' || n, '198.51.100.0/24' from member, generate_series(1, 3) n
    where id = any(${members.map(({ id }) => id)}::bigint[])`.execute(server.db);
  const [first] = members;
  const path = `/moderation/members/${first?.id}/sign-ins`;
  const signIn = expectOk(await moderator.get<MemberSignIns>(path)).items[0]?.id;
  const accounts = await readAll<NetworkAccounts['items'][number]>(
    moderator,
    `/moderation/sign-ins/${signIn}/accounts`,
  );
  expect(accounts.map(({ id }) => id)).toEqual(
    members
      .slice(1)
      .map(({ id }) => id)
      .toReversed(),
  );
});

test('deletes sign-ins after the days of the setting, and stores none if it is 0', async () => {
  const member = await server.register('Old');
  await sql`update sign_in set created_at = now() - interval '20 days' where member_id = ${member.id}`.execute(
    server.db,
  );
  await deleteOldSignIns(server.db, 30);
  const path = `/moderation/members/${member.id}/sign-ins`;
  expect(expectOk(await moderator.get<MemberSignIns>(path)).items).toHaveLength(1);
  await deleteOldSignIns(server.db, 10);
  expect(expectOk(await moderator.get<MemberSignIns>(path)).items).toEqual([]);
  await setSiteSetting(server.db, 'signInDays', 0);
  await eventually(async () => {
    const { id } = await server.register('New');
    const { items } = expectOk(await moderator.get<MemberSignIns>(`/moderation/members/${id}/sign-ins`));
    return items.length === 0;
  });
  await setSiteSetting(server.db, 'signInDays', 90);
});

const notesOn = async (reader: Member, { id }: Member) =>
  expectOk(await reader.get<MemberNotes>(`/moderation/members/${id}/notes`)).items;

test('shows notes to all moderators, and only their author changes, deletes and restores them', async () => {
  const member = await server.register('Noted');
  const path = `/moderation/members/${member.id}/notes`;
  const { id } = expectOk(await moderator.post<{ id: number }>(path, { text: 'Has *two* accounts.' }));
  expect(await notesOn(second, member)).toMatchObject([
    { id, text: 'Has *two* accounts.', authorName: 'Maud', editedAt: null },
  ]);
  for (const refused of [
    await second.put(`/moderation/notes/${id}`, { text: 'No.' }),
    await admin.put(`/moderation/notes/${id}/deletion`, { deleted: true }),
  ])
    expect([refused.status, refused.kind]).toEqual([403, 'not-allowed']);
  expectOk(await moderator.put(`/moderation/notes/${id}`, { text: 'Has three accounts.' }));
  expect((await notesOn(second, member))[0]?.editedAt).not.toBeNull();
  expectOk(await moderator.put(`/moderation/notes/${id}/deletion`, { deleted: true }));
  expect(await notesOn(moderator, member)).toEqual([]);
  expect((await moderator.put(`/moderation/notes/${id}`, { text: 'Again.' })).status).toBe(404);
  expectOk(await moderator.put(`/moderation/notes/${id}/deletion`, { deleted: false }));
  expect(await notesOn(moderator, member)).toMatchObject([{ text: 'Has three accounts.' }]);
  expectOk(await moderator.put(`/moderation/notes/${id}/deletion`, { deleted: true }));
  await sql`update member_note set deleted_at = now() - interval '2 days'`.execute(server.db);
  await purgeDeletedNotes(server.db);
  expect((await moderator.put(`/moderation/notes/${id}/deletion`, { deleted: false })).status).toBe(404);
});

test('shows notes neither to the member, who may become a moderator, nor in the log', async () => {
  const member = await server.register('Noted');
  const path = `/moderation/members/${member.id}/notes`;
  expectOk(await moderator.post(path, { text: 'A secret opinion.' }));
  expect((await member.get(path)).status).toBe(404);
  await setRole(server.db, { email: member.email, role: 'moderator' });
  expect((await member.get(path)).kind).toBe('not-allowed');
  expect((await member.post(path, { text: 'About me.' })).kind).toBe('not-allowed');
  const log = await member.get('/moderation/log');
  expect(JSON.stringify(log.body)).not.toContain('secret');
});

test.each([
  ['an empty note', { text: '  ' }],
  ['a note that is too long', { text: 'x'.repeat(2_001) }],
  ['a note with control characters', { text: 'x\u0007' }],
])('refuses %s', async (_, body) => {
  const response = await moderator.post(`/moderation/members/${ann.id}/notes`, body);
  expect([response.status, response.kind]).toEqual([400, 'invalid']);
});
