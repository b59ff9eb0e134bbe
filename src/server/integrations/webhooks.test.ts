import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { webhookEvents, webhookLimits } from '#shared/integrations/webhook-events.ts';
import type { Webhook, WebhookDraft } from '#shared/integrations/webhooks.ts';
import { getModerationLog } from '#tests/support/moderation.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { createWebhookHosts } from './webhooks-addresses.ts';

const server = await startTestServer({ webhookHosts: ['chat.internal', '10.1.0.0/16'] });
const { db } = server;
afterAll(() => server.stop());
const admin = await server.register('Adele');
await setRole(db, { email: admin.email, role: 'admin' });
await admin.ask({ tags: ['CSS', 'html'] });

beforeEach(async () => {
  await server.resetRateLimits();
  await sql`delete from webhook`.execute(db);
});

const draft: WebhookDraft = {
  name: 'Bridge',
  address: 'https://example.org/hook/secret-path',
  format: 'standard',
  events: ['question.posted'],
  tags: [],
};

async function add(more: Partial<WebhookDraft> = {}) {
  return expectOk(await admin.post<{ id: number; secret: string }>('/admin/webhooks', { ...draft, ...more }));
}

const listed = async (by: Member = admin) =>
  expectOk(await by.get<{ items: Webhook[] }>('/admin/webhooks')).items;
const countReaders = async () => (await sql`select from event_reader`.execute(db)).rows.length;

test('only admins see and change web hooks', async () => {
  const { id } = await add();
  const moderator = await server.register('Maud');
  await setRole(db, { email: moderator.email, role: 'moderator' });
  for (const caller of [moderator, await server.register('Ann')]) {
    expect((await caller.get('/admin/webhooks')).status).toBe(404);
    expect((await caller.post('/admin/webhooks', draft)).status).toBe(404);
    expect((await caller.put(`/admin/webhooks/${id}`, draft)).status).toBe(404);
    expect((await caller.post(`/admin/webhooks/${id}/secret`, {})).status).toBe(404);
    expect((await caller.get(`/admin/webhooks/${id}/deliveries`)).status).toBe(404);
    expect((await caller.delete(`/admin/webhooks/${id}`)).status).toBe(404);
  }
  expect(await listed()).toMatchObject([{ id, name: 'Bridge', enabled: true, waiting: 0, stopReason: null }]);
});

describe('the secret', () => {
  test('is in the response that creates it, encrypted in the table, and in no other response and no log', async () => {
    const { id, secret } = await add();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret: second } = expectOk(
      await admin.post<{ secret: string }>(`/admin/webhooks/${id}/secret`, {}),
    );
    expect(second).not.toBe(secret);
    const { rows } = await sql`
      select row_to_json(webhook)::text as row from webhook
      union all select row_to_json(moderation_log)::text from moderation_log`.execute(db);
    const seen = JSON.stringify([rows, await listed(), await getModerationLog(admin)]);
    expect(seen).toContain('replace_webhook_secret');
    for (const each of [secret, second]) expect(seen).not.toContain(each.slice('whsec_'.length));
  });

  test('must be replaced after a change of SECRET', async () => {
    await add();
    const node = await server.startSecondNode({ secret: 'another secret that is long enough' });
    const there = node.visitor() as Member;
    expectOk(await there.signIn(admin.email, password));
    expect(await listed(there)).toMatchObject([{ hasReadableSecret: false }]);
    await node.stop();
  });
});

test('changes are in the moderation log, with the host of the address only', async () => {
  const { id } = await add();
  const moved = { ...draft, address: 'https://example.org/hook/other-path', events: ['answer.posted'] };
  expectOk(await admin.put(`/admin/webhooks/${id}`, moved));
  expectOk(await admin.put(`/admin/webhooks/${id}/enabled`, { enabled: false }));
  expectOk(await admin.delete(`/admin/webhooks/${id}`));
  const entries = (await getModerationLog(admin)).slice(0, 4);
  expect(entries).toMatchObject([
    { action: 'delete_webhook', subject: 'Bridge', before: { address: 'https://example.org' } },
    { action: 'change_webhook', before: { enabled: true }, after: { enabled: false } },
    {
      action: 'change_webhook',
      before: { events: ['question.posted'], address: 'https://example.org' },
      after: { events: ['answer.posted'], address: 'https://example.org (changed)' },
    },
    { action: 'add_webhook', after: { address: 'https://example.org' } },
  ]);
  expect(JSON.stringify(entries)).not.toContain('path');
});

test('events are read while a web hook is on', async () => {
  expect(await countReaders()).toBe(0);
  const { id } = await add();
  expect(await countReaders()).toBe(1);
  expectOk(await admin.put(`/admin/webhooks/${id}/enabled`, { enabled: false }));
  expect(await countReaders()).toBe(0);
  expect(await admin.post(`/admin/webhooks/${id}/tests`, {})).toMatchObject({ code: 'webhook-off' });
  expectOk(await admin.put(`/admin/webhooks/${id}/enabled`, { enabled: true }));
  expect(await countReaders()).toBe(1);
  expectOk(await admin.delete(`/admin/webhooks/${id}`));
  expect(await countReaders()).toBe(0);
});

test('tags are stored by their keys, and unknown ones are refused', async () => {
  await add({ tags: ['css', 'HTML', 'Css'] });
  expect(await listed()).toMatchObject([{ tags: ['css', 'html'] }]);
  expect(await admin.post('/admin/webhooks', { ...draft, tags: ['unknown'] })).toMatchObject({
    status: 400,
    errors: [{ field: 'tags', code: 'webhook-tag-unknown' }],
  });
});

test.each([
  ['no name', { name: ' ' }, 'name', 'webhook-field-required'],
  ['no event', { events: [] }, 'events', 'webhook-event-required'],
  [
    'an event without content for a chat',
    { format: 'slack', events: ['question.removed'] },
    'events',
    'webhook-event-not-for-chat',
  ],
  ['no address', { address: 'example.org' }, 'address', 'webhook-address-not-valid'],
  [
    'a password in the address',
    { address: 'https://a:b@example.org/' },
    'address',
    'webhook-address-not-valid',
  ],
  ['http', { address: 'http://example.org/' }, 'address', 'webhook-address-not-https'],
  ['http to the server itself', { address: 'http://127.0.0.1/' }, 'address', 'webhook-address-not-https'],
  [
    'the address of the server itself',
    { address: 'https://127.0.0.1/' },
    'address',
    'webhook-address-private',
  ],
  ['the same as a number', { address: 'https://2130706433/' }, 'address', 'webhook-address-private'],
  ['an IPv6 address of the server', { address: 'https://[::1]/' }, 'address', 'webhook-address-private'],
  [
    'the address of cloud metadata',
    { address: 'https://169.254.169.254/' },
    'address',
    'webhook-address-private',
  ],
])('a web hook is refused with %s', async (_, wrong, field, code) => {
  const response = await admin.post('/admin/webhooks', { ...draft, ...wrong });
  expect(response.errors?.map((error) => [error.field, error.code])).toEqual([[field, code]]);
  expect(await listed()).toEqual([]);
});

test('hosts that the operator allows need no https', () => {
  const hosts = createWebhookHosts(['chat.internal', '10.1.0.0/16']);
  for (const address of [
    'http://chat.internal/a',
    'http://10.1.2.3:8080/',
    'https://10.1.2.3/',
    'https://example.org/',
  ])
    expect(() => hosts.check(address)).not.toThrow();
  for (const address of ['http://10.2.0.1/', 'https://10.2.0.1/', 'http://other.internal/'])
    expect(() => hosts.check(address)).toThrow(/address/u);
  expect(hosts.addressesOf(new URL('http://chat.internal/'))('192.168.1.1')).toBe(true);
  expect(hosts.addressesOf(new URL('https://example.org/'))('192.168.1.1')).toBe(false);
});

test('there can be a limited number of web hooks', async () => {
  for (let index = 0; index < webhookLimits.webhooks; index++) await add({ name: `Number ${index}` });
  expect(await admin.post('/admin/webhooks', draft)).toMatchObject({ code: 'too-many-webhooks' });
  await sql`delete from webhook where name <> 'Number 0'`.execute(db);
  await add({ events: [...webhookEvents] });
});
