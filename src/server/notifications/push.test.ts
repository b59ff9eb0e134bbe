import { createECDH, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { actOnPost } from '#tests/support/moderation.ts';
import { eventually } from '#tests/support/parley.ts';
import { setRole } from '#server/admin/roles.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { NotificationPreferences } from '#shared/notifications/preferences.ts';

/** A push service on this machine: the messages it received, and its responses. */
const received: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
let status = 201;
/** The path of a device that its push service cannot reach. */
let failing = '';
const service = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
    if (request.url === failing) return void response.writeHead(503).end();
    response.writeHead(status, status === 307 ? { location: `${address}/elsewhere` } : {}).end();
  });
});
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

const server = await startTestServer();
const node = await server.startSecondNode({}, { pushServices: [address] });
afterAll(async () => {
  await node.stop();
  await server.stop();
  service.close();
});

const moderator = await node.register('Olga');
await setRole(server.db, { email: moderator.email, role: 'moderator' });
let ann: Member;
let bob: Member;
beforeEach(async () => {
  await server.resetRateLimits();
  status = 201;
  failing = '';
  await sql`delete from parley_jobs.job where name = 'push'`.execute(server.db);
  [ann, bob] = [await node.register('Ann'), await node.register('Bob')];
});

let devices = 0;

function deviceAt(origin: string) {
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  return {
    endpoint: `${origin}/device/${++devices}`,
    p256dh: keys.getPublicKey().toString('base64url'),
    auth: randomBytes(16).toString('base64url'),
  };
}

/** Returns the path of the device's endpoint. */
async function subscribe(member: Member): Promise<string> {
  const device = deviceAt(address);
  expectOk(await member.put('/push-subscription', device));
  return new URL(device.endpoint).pathname;
}

/** Ages all notifications so that their pushes are due. */
async function pushDue(): Promise<void> {
  await sql`update notification set created_at = created_at - interval '1 minute'`.execute(server.db);
  await node.backgroundJobs?.enqueueDueJobs();
}

const pushesTo = (device: string) => received.filter(({ path }) => path === device);

async function devicesOf(member: Member): Promise<number> {
  const { rows } = await sql`select from push_subscription where member_id = ${member.id}`.execute(server.db);
  return rows.length;
}

test('pushes to each device of a member, small and encrypted, with the keys of the site', async () => {
  const phone = await subscribe(ann);
  const laptop = await subscribe(await ann.signInElsewhere());
  await bob.answer(await ann.ask({ title: 'Is this secret?' }));
  await pushDue();
  await eventually(() => pushesTo(phone).length === 1 && pushesTo(laptop).length === 1);
  const [push] = pushesTo(phone);
  expect(push?.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400' });
  const { body } = await ann.get<NotificationPreferences>('/notification-preferences');
  expect(push?.headers.authorization).toContain(`k=${body.pushKey}`);
  expect(push?.body.length).toBeLessThan(4_096);
  expect(push?.body.toString('latin1')).not.toContain('secret');
});

test('pushes votes only if the member chose it, and nothing that is seen on an open page', async () => {
  const device = await subscribe(ann);
  const id = await ann.ask();
  await bob.vote('questions', id, 'up');
  await bob.answer(id);
  expectOk(await ann.put('/notifications/seen'));
  await pushDue();
  expectOk(await ann.put('/notification-preferences/votes', { push: true }));
  await bob.vote('questions', await ann.ask(), 'up');
  await pushDue();
  await eventually(() => pushesTo(device).length > 0);
  await untilQuiet();
  expect(pushesTo(device)).toHaveLength(1);
});

test('pushes a notification after its hidden post was restored, unless the member turned pushes off meanwhile', async () => {
  const eve = await node.register('Eve');
  const [device, deviceOfEve] = [await subscribe(ann), await subscribe(eve)];
  const answers = [await bob.answer(await ann.ask()), await bob.answer(await eve.ask())];
  for (const { id } of answers) expectOk(await actOnPost(moderator, 'hide', 'answer', id));
  await pushDue();
  await untilQuiet();
  expect(pushesTo(device)).toHaveLength(0);
  expectOk(await eve.put('/notification-preferences/answers', { push: false }));
  for (const { id } of answers) expectOk(await actOnPost(moderator, 'restore', 'answer', id));
  await pushDue();
  await eventually(() => pushesTo(device).length === 1);
  await untilQuiet();
  expect(pushesTo(deviceOfEve)).toHaveLength(0);
});

test('pushes nothing about a question that the member muted meanwhile, also after its hidden post was restored', async () => {
  const eve = await node.register('Eve');
  const [device, deviceOfEve] = [await subscribe(ann), await subscribe(eve)];
  for (const author of [ann, eve]) {
    const [id, other] = [await author.ask(), await author.ask()];
    await bob.answer(id);
    const hidden = await bob.answer(other);
    expectOk(await actOnPost(moderator, 'hide', 'answer', hidden.id));
    if (author === ann) for (const muted of [id, other]) await author.mute(`questions/${muted}`);
    expectOk(await actOnPost(moderator, 'restore', 'answer', hidden.id));
  }
  await pushDue();
  await eventually(() => pushesTo(deviceOfEve).length > 0);
  await untilQuiet();
  expect(pushesTo(device)).toHaveLength(0);
});

test('deletes the subscription of a device that no longer exists, and of the browser after sign-out', async () => {
  const phone = await ann.signInElsewhere();
  await subscribe(ann);
  const path = await subscribe(phone);
  expectOk(await phone.delete('/session'));
  expect(await devicesOf(ann)).toBe(1);
  status = 410;
  await bob.answer(await ann.ask());
  await pushDue();
  await eventually(async () => (await devicesOf(ann)) === 0);
  expect(pushesTo(path)).toHaveLength(0);
});

test("deletes the subscription of a member's browser when another member signs in there", async () => {
  await subscribe(ann);
  await subscribe(await ann.signInElsewhere());
  expectOk(await ann.signIn(bob.email, password));
  expect([await devicesOf(ann), await devicesOf(bob)]).toEqual([1, 0]);
});

test('keeps the subscription of a browser in which its member signs in again', async () => {
  const device = await subscribe(ann);
  expectOk(await ann.signIn(ann.email, password));
  await bob.answer(await ann.ask());
  await pushDue();
  await eventually(() => pushesTo(device).length === 1);
  expectOk(await ann.delete('/session'));
  expect(await devicesOf(ann)).toBe(0);
});

test('deletes the subscription of a device whose key is invalid', async () => {
  const device = { ...deviceAt(address), p256dh: 'A'.repeat(87) };
  expectOk(await ann.put('/push-subscription', device));
  const phone = await subscribe(await ann.signInElsewhere());
  await bob.answer(await ann.ask());
  await pushDue();
  await eventually(async () => (await devicesOf(ann)) === 1);
  await untilQuiet();
  expect(pushesTo(phone)).toHaveLength(1);
  expect(await jobsToRetry()).toBe(0);
});

test('pushes to members after one whose hundreds of pushes wait', async () => {
  await subscribe(ann);
  await bob.answer(await ann.ask());
  status = 503;
  await sql`
    insert into base_notification (recipient_id, sender_id, kind, question_id, pending_push)
    select recipient_id, sender_id, 'answer', question_id, true from base_notification, generate_series(1, 600)
    where recipient_id = ${ann.id}`.execute(server.db);
  await pushDue();
  await eventually(async () => (await jobsToRetry()) === 1);
  status = 201;
  const eve = await node.register('Eve');
  const device = await subscribe(eve);
  await bob.answer(await eve.ask());
  await pushDue();
  await eventually(() => pushesTo(device).length > 0);
  await untilQuiet();
  expect(pushesTo(device)).toHaveLength(1);
});

test('pushes once to a device while another one of the member fails', async () => {
  const phone = await subscribe(ann);
  failing = await subscribe(await ann.signInElsewhere());
  await bob.answer(await ann.ask());
  await pushDue();
  await eventually(() => pushesTo(failing).length > 0 && pushesTo(phone).length > 0);
  await untilQuiet();
  expect(await jobsToRetry()).toBe(0);
});

test('tries a failing device again if the others of the member are gone', async () => {
  expectOk(await ann.put('/push-subscription', { ...deviceAt(address), p256dh: 'A'.repeat(87) }));
  failing = await subscribe(await ann.signInElsewhere());
  await bob.answer(await ann.ask());
  await pushDue();
  await eventually(async () => (await jobsToRetry()) === 1);
});

test('counts a browser that turns pushes on again as the newest device', async () => {
  await subscribe(ann);
  for (let n = 0; n < 9; n++) await subscribe(await ann.signInElsewhere());
  const again = await subscribe(ann);
  await subscribe(await ann.signInElsewhere());
  expect(await devicesOf(ann)).toBe(10);
  await bob.answer(await ann.ask());
  await pushDue();
  await eventually(() => pushesTo(again).length === 1);
});

test('limits a member to ten devices and removes the oldest', async () => {
  for (let n = 0; n < 12; n++) await subscribe(await ann.signInElsewhere());
  expect(await devicesOf(ann)).toBe(10);
});

test('does not follow redirects', async () => {
  const device = await subscribe(ann);
  status = 307;
  await bob.answer(await ann.ask());
  await pushDue();
  await eventually(() => pushesTo(device).length === 1);
  await untilQuiet();
  expect(received.filter(({ path }) => path === '/elsewhere')).toHaveLength(0);
});

describe('a push endpoint', () => {
  test.each([
    'http://127.0.0.1:5432',
    'http://localhost',
    'https://169.254.169.254',
    'https://[::1]',
    'https://fcm.googleapis.com.evil.example',
    'https://evil.example/https://fcm.googleapis.com',
    'https://fcm.googleapis.com@evil.example',
    'https://user:password@fcm.googleapis.com',
    'https://fcm.googleapis.com:8443',
    'http://fcm.googleapis.com',
    'https://push.apple.com',
    'https://evil.example#.push.apple.com',
    'ftp://fcm.googleapis.com',
  ])('is refused outside the known push services: %s', async (origin) => {
    expect((await ann.put('/push-subscription', deviceAt(origin))).status).toBe(400);
    expect(await devicesOf(ann)).toBe(0);
  });

  test.each([
    'https://fcm.googleapis.com',
    'https://updates.push.services.mozilla.com',
    'https://wns2-db5p.notify.windows.com',
    'https://web.push.apple.com',
  ])('is accepted on a known push service: %s', async (origin) => {
    expect((await ann.put('/push-subscription', deviceAt(origin))).body).toMatchObject({
      isPushEnabledHere: true,
    });
    expectOk(await ann.delete('/push-subscription'));
    expect(await devicesOf(ann)).toBe(0);
  });
});

async function jobsToRetry(): Promise<number> {
  const { rows } = await sql`
    select from parley_jobs.job where state = 'retry' and name = 'push'`.execute(server.db);
  return rows.length;
}

async function untilQuiet(): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql`
      select from parley_jobs.job where state in ('created', 'active') and name = 'push'`.execute(server.db);
    return rows.length === 0;
  });
}
