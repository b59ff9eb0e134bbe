import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { ClaimProof, ProfileClaim, RequestedClaims } from '#shared/admin/profile-claims.ts';
import type { Notifications } from '#shared/notifications/notifications.ts';
import type { Profile } from '#shared/identity/profiles.ts';
import type { ModerationLog } from '#shared/moderation/moderation.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { importStackExchange } from '#server/import-export/stack-exchange-import.ts';
import { answerRow, archiveXml, questionRow, userRow } from '#tests/support/stack-exchange-archive.ts';
import { addImportedProfile } from '#tests/support/imported-profile.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { runAccountMerges } from './account-merge.ts';
import { findTokenOnPage, pageLimits } from './profile-claims-page.ts';
import { createWebhookHosts } from '#server/integrations/index.ts';
import { setRole } from './roles.ts';

/** The old site. */
let respond: RequestListener = (_, response) => response.end();
let requests = 0;
const site = createServer((request, response) => {
  requests++;
  respond(request, response);
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
const server = await startTestServer({ webhookHosts: ['127.0.0.1'] });
const guarded = await startTestServer();
afterAll(async () => {
  await server.stop();
  await guarded.stop();
  site.closeAllConnections();
  site.close();
});
await importSite();
const moderator = await server.register('Olga');
await setRole(server.db, { email: moderator.email, role: 'moderator' });
beforeEach(async () => {
  await server.resetRateLimits();
  requests = 0;
});

/** Imports a site with ten users, and gives it the address of the server above. */
async function importSite() {
  const users = Array.from({ length: 10 }, (_, index) => index + 1);
  const parent = await mkdtemp(join(tmpdir(), 'parley-claims-'));
  const files = {
    Users: [...users, 99].map((id) => userRow(id, { DisplayName: `Ada ${id}`, Reputation: 120 })),
    Posts: [
      questionRow(1000, { OwnerUserId: 99 }),
      ...users.map((id) => answerRow(id, 1000, { OwnerUserId: id, ContentLicense: 'CC BY-SA 3.0' })),
    ],
  };
  for (const [file, rows] of Object.entries(files))
    await writeFile(join(parent, `${file}.xml`), archiveXml(file, rows));
  const client = new pg.Client(server.database.connection);
  await client.connect();
  await importStackExchange({ directory: parent, client, site: 'old.example.org' });
  await client.query('update import_source set site = $1', [host]);
  await client.end();
  await rm(parent, { recursive: true });
}

const showPage = (html: string) => {
  respond = (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://old.example.org');
    if (/^\/users\/\d+$/u.test(pathname)) response.writeHead(301, { location: `${pathname}/ada` }).end();
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
  };
};
let lastKey = 0;
/** An imported profile with an answer to a question of another. */
async function importProfile() {
  const key = String(++lastKey);
  const { rows } = await sql<{ id: number; question: number; answer: number }>`
    select member.id, question_id as question, answer.id as answer from member join answer on author_id = member.id
    where member.source_key = ${key}`.execute(server.db);
  if (rows[0] === undefined) throw new Error('no profile is left');
  return rows[0];
}
const begin = async (member: Member, id: number) =>
  expectOk(await member.put<ProfileClaim>(`/members/${id}/claim`));
const prove = async (member: Member, id: number) =>
  expectOk(await member.post<ClaimProof>(`/members/${id}/claim/proof`, {})).outcome;
const finish = () =>
  runAccountMerges(
    { db: server.db, settings: { allowsSelfVotes: true } },
    { until: Date.now() + 60_000, waitSeconds: -1 },
  );

test('a member who shows the text on the old site gets the posts and the reputation', async () => {
  const ada = await server.register('Ada Now');
  const { id, question, answer } = await importProfile();
  const claim = await begin(ada, id);
  expect(claim).toMatchObject({
    profileUrl: `https://${host}/users/${lastKey}`,
    token: expect.stringMatching(/^parley-[\da-f]{24}$/u),
    request: 'none',
  });
  expect((await begin(ada, id)).token).toBe(claim.token);
  showPage('<p>About me</p>');
  expect(await prove(ada, id)).toBe('token-missing');
  // Others may edit titles of posts, which are links.
  showPage(`<h1>Ada</h1><a href="/q/1">How? ${claim.token}</a><script>"${claim.token}"</script>`);
  expect(await prove(ada, id)).toBe('token-missing');
  showPage(`<h1>Ada</h1><div><p>I bake. ${claim.token}</p></div>`);
  expect(await prove(ada, id)).toBe('claimed');
  await finish();
  const page = await ada.read(question);
  expect(page.answers.items.find((each) => each.id === answer)).toMatchObject({
    authorId: ada.id,
    authorName: 'Ada Now',
    source: { site: host, license: 'CC BY-SA 3.0' },
  });
  expect((await ada.me()).reputation).toBe(120);
  // The old profile leads to the new one.
  expect(expectOk(await ada.get<Profile>(`/members/${id}`)).id).toBe(ada.id);
  const { items } = expectOk(await moderator.get<ModerationLog>('/moderation/log'));
  expect(items[0]).toMatchObject({
    action: 'merge_account',
    reason: `Claimed with a text in the profile on ${host}`,
    moderatorName: null,
  });
  const { rows } =
    await sql`select from security_event where member_id = ${ada.id} and event = 'account-merged'`.execute(
      server.db,
    );
  expect(rows).toHaveLength(1);
  expect((await sql`select from profile_claim`.execute(server.db)).rows).toEqual([]);
  expect((await ada.put(`/members/${id}/claim`)).status).toBe(404);
  expect(await findViolations(server.db)).toEqual([]);
});

test('a text of another member, an expired one, and profiles of members here prove nothing', async () => {
  const [ada, eve] = [await server.register('Ada Two'), await server.register('Eve')];
  const { id } = await importProfile();
  const claim = await begin(ada, id);
  await begin(eve, id);
  showPage(`<p>${claim.token}</p>`);
  expect(await prove(eve, id)).toBe('token-missing');
  await sql`update profile_claim set token_expires_at = now() where member_id = ${ada.id}`.execute(server.db);
  expect(await ada.post(`/members/${id}/claim/proof`, {})).toMatchObject({ status: 409 });
  expect((await begin(ada, id)).token).not.toBe(claim.token);
  expect(await ada.put(`/members/${eve.id}/claim`)).toMatchObject({ status: 404 });
  expect(await server.visitor().get(`/members/${id}/claim`)).toMatchObject({ status: 401 });
});

test('a moderator approves a request, or declines it with a reason that the member sees', async () => {
  const ada = await server.register('Ada Three');
  const [first, second] = [await importProfile(), await importProfile()];
  for (const { id } of [first, second]) {
    await begin(ada, id);
    expectOk(await ada.put(`/members/${id}/claim/request`, { message: 'Same picture.' }));
  }
  expect(await ada.put(`/members/${first.id}/claim/request`, { message: 'Again.' })).toMatchObject({
    status: 409,
  });
  // One notification for both.
  const readAlerts = async () =>
    expectOk(await moderator.get<Notifications>('/notifications?filter=unread')).items.filter(
      ({ kind }) => kind === 'profile_claim',
    );
  expect(await readAlerts()).toMatchObject([{ link: '/moderation/claims' }]);
  expect((await ada.get('/moderation/claims')).status).toBe(404);
  const { items } = expectOk(await moderator.get<RequestedClaims>('/moderation/claims'));
  expect(items).toMatchObject([
    { profileId: first.id, memberId: ada.id, message: 'Same picture.', posts: 1 },
    { profileId: second.id },
  ]);
  const decide = (index: number, draft: object) =>
    moderator.put(`/moderation/claims/${items[index]?.id}/decision`, draft);
  expect(await decide(0, { decision: 'approve', reason: ' ' })).toMatchObject({ status: 400 });
  expectOk(await decide(0, { decision: 'approve', reason: 'The picture is the same.' }));
  expect(await readAlerts()).toHaveLength(1);
  expectOk(await decide(1, { decision: 'decline', reason: 'Too little to go by.' }));
  expect(await readAlerts()).toEqual([]);
  expect(await decide(1, { decision: 'approve', reason: 'After all.' })).toMatchObject({ status: 404 });
  await finish();
  const page = await ada.read(first.question);
  expect(page.answers.items.find((each) => each.id === first.answer)?.authorId).toBe(ada.id);
  expect(expectOk(await ada.get<ProfileClaim>(`/members/${second.id}/claim`))).toMatchObject({
    request: 'declined',
    declineReason: 'Too little to go by.',
  });
  // A declined claim can be asked again, and withdrawn.
  expectOk(await ada.put(`/members/${second.id}/claim/request`, { message: 'My page links to it.' }));
  expectOk(await ada.delete(`/members/${second.id}/claim`));
  expect(expectOk(await moderator.get<RequestedClaims>('/moderation/claims')).items).toEqual([]);
});

test('the notification ends when the member with the last request deletes the account', async () => {
  const ada = await server.register('Ada Leaves');
  const { id } = await importProfile();
  await begin(ada, id);
  await sql`delete from base_notification`.execute(server.db);
  expectOk(await ada.put(`/members/${id}/claim/request`, { message: 'Same picture.' }));
  const isNotified = async () =>
    expectOk(await moderator.get<Notifications>('/notifications?filter=unread')).items.some(
      ({ kind }) => kind === 'profile_claim',
    );
  expect(await isNotified()).toBe(true);
  expectOk(await ada.post('/account-deletion', { password, posts: 'keep' }));
  expect(await isNotified()).toBe(false);
});

test('a moderator does not decide about an own claim', async () => {
  const { id } = await importProfile();
  await begin(moderator, id);
  expectOk(await moderator.put(`/members/${id}/claim/request`, { message: 'It is me.' }));
  const [claim] = expectOk(await moderator.get<RequestedClaims>('/moderation/claims')).items;
  const decision = { decision: 'approve', reason: 'Yes.' };
  expect(await moderator.put(`/moderation/claims/${claim?.id}/decision`, decision)).toMatchObject({
    status: 403,
  });
});

test('moderators edit imported posts, and members suggest edits that moderators approve; the source stays', async () => {
  const member = await server.register('Helper');
  const { question, answer } = await importProfile();
  const suggest = async (by: Member, content: string) =>
    expectOk(
      await by.post<{ id: number; status: string }>(`/answers/${answer}/edit-suggestions`, {
        content,
        summary: 'Clearer',
        basedOn: null,
      }),
    );
  const { id } = await suggest(member, 'An imported answer, clearer.');
  const decision = { decision: 'approve', basedOn: null, reason: '', texts: null };
  expectOk(await moderator.put(`/edit-suggestions/${id}/decision`, decision));
  const page = await member.read(question);
  expect(page.answers.items.find((each) => each.id === answer)).toMatchObject({
    content: 'An imported answer, clearer.',
    source: { site: host },
  });
});

test('refuses sites in the own network, other hosts and other files, and limits time and size', async () => {
  const ada = await guarded.register('Ada');
  const id = await addImportedProfile(guarded.db, { site: host });
  expectOk(await ada.put(`/members/${id}/claim`));
  expect(await prove(ada, id)).toBe('refused');
  expect(requests).toBe(0);
  const hosts = createWebhookHosts(['127.0.0.1']);
  const find = (limits = pageLimits) =>
    findTokenOnPage(`https://${host}/users/1`, { token: 'parley-1', hosts, limits });
  respond = (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/users/1' }).end();
  expect(await find()).toBe('unreachable');
  respond = (_, response) => response.writeHead(302, { location: '/users/1' }).end();
  requests = 0;
  expect(await find()).toBe('unreachable');
  expect(requests).toBe(pageLimits.redirects + 1);
  respond = (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('parley-1');
  expect(await find()).toBe('unreachable');
  respond = (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('parley-1');
  expect(await find()).toBe('unreachable');
  respond = (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>');
  expect(await find({ ...pageLimits, ms: 200 })).toBe('unreachable');
  respond = (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${'a'.repeat(2_000)} parley-1`);
  expect(await find({ ...pageLimits, bytes: 1_000 })).toBe('token-missing');
  expect(await find()).toBe('found');
});
