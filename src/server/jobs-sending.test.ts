import { createECDH, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { webhookEvents } from '#shared/integrations/webhook-events.ts';
import { setRole } from '#server/admin/roles.ts';
import { expectOk } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { startWebhookReceiver } from '#tests/support/webhook-receiver.ts';

const settings = { webhookHosts: ['127.0.0.1'] };
/** Nothing listens there, so pushes are retried. */
const pushService = 'http://127.0.0.1:1';
const quick = { webhooks: { pollMs: 30 }, pushServices: [pushService], runsScheduledJobs: false };
const server = await startTestServer(settings);
const receiver = await startWebhookReceiver();
afterAll(async () => {
  await server.stop();
  await receiver.stop();
});

test('sends no web hooks and push messages while sending is off, and those that are due once it is on', async () => {
  const [admin, ann, bob] = await server.registerAll('Adele', 'Ann', 'Bob');
  await setRole(server.db, { email: admin.email, role: 'admin' });
  const hook = { name: 'Bridge', address: `${receiver.address}/hook`, format: 'standard' };
  expectOk(await admin.post('/admin/webhooks', { ...hook, events: webhookEvents, tags: [] }));
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  const device = {
    endpoint: `${pushService}/device`,
    p256dh: keys.getPublicKey().toString('base64url'),
    auth: randomBytes(16).toString('base64url'),
  };
  // The first node has no background jobs, so it does not offer push.
  const original = await server.startSecondNode(settings, quick);
  expectOk(await ann.onServer(original.address).put('/push-subscription', device));
  await original.stop();
  await bob.answer(await ann.ask());
  await sql`update notification set created_at = created_at - interval '1 minute'`.execute(server.db);

  const copy = await server.startSecondNode(settings, { ...quick, isSending: false });
  expect((await ann.onServer(copy.address).put('/push-subscription', device)).code).toBe('push-disabled');
  await copy.backgroundJobs?.enqueueDueJobs();
  expect(await countPushJobs()).toBe(0);
  await copy.stop();
  expect(receiver.requests).toEqual([]);

  const sending = await server.startSecondNode(settings, quick);
  const events = (await receiver.accepted(2)).map(({ payload }) => payload.type);
  expect(events.toSorted()).toEqual(['answer.posted', 'question.posted']);
  await sending.backgroundJobs?.enqueueDueJobs();
  expect(await countPushJobs()).toBe(1);
  await sending.stop();
});

async function countPushJobs(): Promise<number> {
  const { rows } = await sql`select from parley_jobs.job where name = 'push'`.execute(server.db);
  return rows.length;
}
