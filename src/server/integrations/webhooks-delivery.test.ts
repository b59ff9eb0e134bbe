import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { transaction } from '#server/core/database.ts';
import { allowPublicAddresses } from '#server/core/public-addresses.ts';
import { createDownload } from '#server/import-export/imported-pictures-download.ts';
import { importPictures } from '#server/import-export/imported-pictures.ts';
import { importJsonLines } from '#server/import-export/jsonl-import.ts';
import { webhookEvents } from '#shared/integrations/webhook-events.ts';
import type { Webhook, WebhookDelivery, WebhookDraft } from '#shared/integrations/webhooks.ts';
import type { NotificationFilter, Notifications } from '#shared/notifications/notifications.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { writeJsonLines } from '#tests/support/json-lines.ts';
import { actOnPost } from '#tests/support/moderation.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import { startTestServer } from '#tests/support/server.ts';
import { startWebhookReceiver, type ReceivedRequest } from '#tests/support/webhook-receiver.ts';
import { createWebhookHosts } from './webhooks-addresses.ts';
import { deleteOldDeliveries, lockClaim, noteFailure } from './webhooks-delivery-queries.ts';
import { switchWebhook } from './webhooks-queries.ts';
import { sendWebhookRequest } from './webhooks-request.ts';

vi.setConfig({ testTimeout: 20_000 });

const quick = { webhooks: { pollMs: 30, timeoutMs: 700, firstRetryMs: 40 }, runsScheduledJobs: false };
const server = await startTestServer({ webhookHosts: ['127.0.0.1'] }, quick);
const { db } = server;
const receiver = await startWebhookReceiver();
afterAll(async () => {
  await server.stop();
  await receiver.stop();
});
const [admin, ann, bob] = await server.registerAll('Adele', 'Ann', 'Bob');
await setRole(db, { email: admin.email, role: 'admin' });

beforeEach(async () => {
  await server.resetRateLimits();
  await sql`delete from webhook`.execute(db);
  receiver.requests.length = 0;
  receiver.behave(null);
});

async function add(more: Partial<WebhookDraft> = {}) {
  const address = `${receiver.address}/hook`;
  const draft = { name: 'Bridge', address, format: 'standard', events: webhookEvents, tags: [], ...more };
  return expectOk(await admin.post<{ id: number; secret: string }>('/admin/webhooks', draft));
}

const readWebhook = async (id: number) => {
  const { items } = expectOk(await admin.get<{ items: Webhook[] }>('/admin/webhooks'));
  return items.find((each) => each.id === id) as Webhook;
};
const readDeliveries = async (id: number) =>
  expectOk(await admin.get<{ items: WebhookDelivery[] }>(`/admin/webhooks/${id}/deliveries`)).items;
const readNotified = async (member: Member, filter: NotificationFilter = 'unread') =>
  expectOk(await member.get<Notifications>(`/notifications?filter=${filter}`)).items.filter(
    ({ kind }) => kind === 'webhook',
  );

const readBodies = (deliveries: WebhookDelivery[]) =>
  deliveries.map(({ requestBody }) => requestBody ?? '').join(' ');

async function waitForState(id: number, state: WebhookDelivery['state']): Promise<WebhookDelivery[]> {
  await eventually(async () => {
    const deliveries = await readDeliveries(id);
    return deliveries.length > 0 && deliveries.every((each) => each.state === state);
  });
  return readDeliveries(id);
}

/** Shifts what happened into the past. */
const age = (id: number, days: number) =>
  sql`with hook as (
      update webhook set failing_since = failing_since - make_interval(days => ${days}::int) where id = ${id}
    ), queued as (update webhook_queue set next_attempt_at = now() where webhook_id = ${id})
    update webhook_delivery set first_attempt_at = first_attempt_at - make_interval(days => ${days}::int),
      created_at = created_at - make_interval(days => ${days}::int) where webhook_id = ${id}`.execute(db);

const types = (requests: readonly ReceivedRequest[]) => requests.map(({ payload }) => payload.type);

test('nothing is delivered for the posts and the pictures of an import, also of a forum that moved here', async () => {
  const site = createServer((_, response) =>
    response.setHeader('content-type', 'image/png').end(createPngPicture()),
  );
  await once(site.listen(0, '127.0.0.1'), 'listening');
  const content = `![it](http://127.0.0.1:${(site.address() as AddressInfo).port}/it.png)`;
  const client = new pg.Client(server.database.connection);
  await client.connect();
  const questions = [{ id: 1, title: 'Moved', content }];
  const answer = { id: 1, questionId: 1, content };
  const later = {
    answers: [answer, { ...answer, id: 2 }],
    replies: [{ id: 1, questionId: 1, answerId: 1, content }],
  };
  const { id } = await add();
  for (const posts of [{ answers: [answer] }, later])
    await importJsonLines({
      directory: await writeJsonLines({ questions, ...posts }),
      client,
      site: 'forum.example.org',
    });
  await client.end();
  const download = createDownload(allowPublicAddresses(['127.0.0.1']));
  const { signal } = new AbortController();
  const { posts } = await importPictures({ db, download, concurrency: 1, signal });
  expect(posts).toBe(4);
  site.closeAllConnections();
  site.close();
  await bob.answer(1, 'A new answer.');
  expect((await receiver.accepted(1))[0]?.payload.data.answer).toMatchObject({ author: { name: 'Bob' } });
  expect((await readDeliveries(id)).map(({ eventType }) => eventType)).toEqual(['answer.posted']);
});

test('each event is delivered once, in order, with its content', async () => {
  await add();
  const id = await ann.ask({ title: 'Does bread freeze?', content: 'For **weeks**?', tags: ['bread'] });
  const { id: answerId } = await bob.answer(id, 'For three months.');
  await ann.replyToAnswer(answerId, { content: 'Thanks.' });
  expectOk(await ann.put(`/questions/${id}/accepted-answer`, { answerId }));
  // What is removed before it is sent is not sent at all.
  await receiver.accepted(4);
  await bob.remove('answers', answerId);
  await receiver.accepted(6);
  await ann.remove('questions', id);
  const requests = await receiver.accepted(7);
  expect(types(requests)).toEqual([
    'question.posted',
    'answer.posted',
    'reply.posted',
    'answer.accepted',
    'answer.removed',
    'answer.unaccepted',
    'question.removed',
  ]);
  expect(new Set(requests.map((each) => each.id)).size).toBe(7);
  expect(requests.map(({ payload }) => payload.data.question?.id)).toEqual(
    Array.from({ length: 7 }, () => id),
  );
  expect(requests.at(-1)?.payload.data).toEqual({ question: { id } });
});

test('a payload has the posts with their authors and addresses', async () => {
  await add();
  const id = await ann.ask({ title: 'Does rye freeze?', content: 'For **weeks**?', tags: ['bread', 'rye'] });
  const { id: answerId } = await bob.answer(id, '> quote\n\nFor three *months*.');
  const [, request] = await receiver.accepted(2);
  expect(request?.payload).toMatchObject({
    type: 'answer.posted',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    data: {
      question: {
        id,
        title: 'Does rye freeze?',
        url: `/question/${id}/does-rye-freeze`,
        tags: ['bread', 'rye'],
        author: { id: ann.id, name: 'Ann', url: `/profile/${ann.id}` },
        excerpt: 'For weeks?',
        editedAt: null,
      },
      answer: {
        id: answerId,
        url: `/question/${id}/does-rye-freeze#answer-${answerId}`,
        author: { id: bob.id, name: 'Bob' },
      },
    },
  });
  expect(JSON.stringify(request?.payload)).not.toContain('@');
});

describe('the signature', () => {
  test('is that of Standard Webhooks', async () => {
    const { secret } = await add();
    await ann.ask();
    const [request] = await receiver.accepted(1);
    if (request === undefined) throw new Error('no request');
    expect(receiver.verify(secret, request)).toEqual(request.payload);
    // Also without the library.
    const { 'webhook-timestamp': at, 'webhook-signature': signature } = request.headers;
    const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
    expect(signature).toBe(`v1,${mac.update(`${request.id}.${at}.${request.body}`).digest('base64')}`);
    expect(() => receiver.verify(secret, { ...request, body: `${request.body} ` })).toThrow(/signature/u);
  });

  test('is made with every secret that was replaced within the last day', async () => {
    const { id, secret: first } = await add();
    const replace = async () =>
      expectOk(await admin.post<{ secret: string }>(`/admin/webhooks/${id}/secret`, {})).secret;
    const second = await replace();
    // The response to the first replacement was lost, so the receiver still has the first secret.
    const third = await replace();
    expectOk(await admin.post(`/admin/webhooks/${id}/tests`, {}));
    const [all] = await receiver.accepted(1);
    if (all === undefined) throw new Error('no request');
    for (const each of [first, second, third]) receiver.verify(each, all);
    expect(await readWebhook(id)).toMatchObject({ previousSecretUntil: expect.any(String) as string });

    await sql`update webhook_old_secret set signs_until = now()`.execute(db);
    expectOk(await admin.post(`/admin/webhooks/${id}/tests`, {}));
    const [, one] = await receiver.accepted(2);
    if (one === undefined) throw new Error('no request');
    receiver.verify(third, one);
    for (const each of [first, second]) expect(() => receiver.verify(each, one)).toThrow(/signature/u);
    expect(await readWebhook(id)).toMatchObject({ previousSecretUntil: null });
  });
});

test('tags and events choose what is delivered', async () => {
  const css = await ann.ask({ tags: ['css'] });
  await add({ events: ['question.posted', 'question.removed', 'answer.posted'], tags: ['css'] });
  const other = await ann.ask({ tags: ['html'] });
  const fresh = await ann.ask({ tags: ['html', 'CSS'] });
  await bob.answer(other);
  await bob.answer(css);
  await receiver.accepted(2);
  await ann.remove('questions', css);
  const requests = await receiver.accepted(3);
  const of = (id: number) => types(requests.filter(({ payload }) => payload.data.question?.id === id));
  expect(of(css)).toEqual(['answer.posted', 'question.removed']);
  expect(of(fresh)).toEqual(['question.posted']);
  expect(of(other)).toEqual([]);
});

test('a removal is delivered to a web hook that got the question before it lost the tag', async () => {
  const events = ['question.posted', 'question.removed', 'answer.posted', 'answer.removed'] as const;
  const { id: hook } = await add({ events: [...events], tags: ['css'] });
  const [lost, other] = [await ann.ask({ tags: ['css'] }), await ann.ask({ tags: ['html'] })];
  const { id: answerId } = await bob.answer(lost);
  await receiver.accepted(2);
  await waitForState(hook, 'delivered');
  const draft = { title: 'How do tables work?', content: 'In general.', tags: ['html'] };
  expectOk(await ann.put(`/questions/${lost}`, draft));
  // As a new name of the author leaves them.
  await sql`update webhook_delivery set request_body = null`.execute(db);
  await bob.remove('answers', answerId);
  // It would not be sent after the removal of its question.
  await receiver.accepted(3);
  for (const id of [other, lost]) await ann.remove('questions', id);
  const requests = await receiver.accepted(4);
  expect(types(requests)).toEqual(['question.posted', 'answer.posted', 'answer.removed', 'question.removed']);
  expect(requests.map(({ payload }) => payload.data.question?.id)).toEqual(Array(4).fill(lost));
});

describe('what is not public', () => {
  test('is not sent: a hidden post is reported by its id, and shown again with its content', async () => {
    const { id } = await add({ events: ['question.posted', 'question.removed', 'question.restored'] });
    // Nothing arrives until the post is hidden.
    receiver.behave(() => (_, response) => response.writeHead(503).end());
    const questionId = await ann.ask({ title: 'Cheap watches', content: 'Buy here.' });
    await eventually(() => receiver.requests.length > 0);
    expectOk(await actOnPost(admin, 'hide', 'question', questionId));
    receiver.requests.length = 0;
    receiver.behave(null);
    const [hidden] = await receiver.accepted(1);
    expect(hidden?.payload).toMatchObject({
      type: 'question.removed',
      data: { question: { id: questionId } },
    });
    await eventually(async () => (await readDeliveries(id))[0]?.state === 'delivered');
    const deliveries = await readDeliveries(id);
    expect(deliveries.map(({ state, error }) => [state, error])).toEqual([
      ['delivered', null],
      ['skipped', 'not-public'],
    ]);
    expect(JSON.stringify([receiver.requests, deliveries])).not.toMatch(/watches|Buy/);
    expectOk(await actOnPost(admin, 'restore', 'question', questionId));
    const [, restored] = await receiver.accepted(2);
    expect(restored?.payload).toMatchObject({ type: 'question.restored' });
    expect(restored?.body).toContain('Cheap watches');
  });

  test('is removed from the deliveries that admins see', async () => {
    const { id } = await add({ events: ['question.posted'] });
    const questionId = await ann.ask({ title: 'A title to forget' });
    await receiver.accepted(1);
    const [delivery] = await waitForState(id, 'delivered');
    expect(delivery?.requestBody).toContain('A title to forget');
    await ann.remove('questions', questionId);
    await eventually(async () => (await readDeliveries(id))[0]?.requestBody === null);
  });

  test('is removed from the deliveries that admins see when its author is renamed or merged', async () => {
    const { id } = await add({ events: ['question.posted', 'member.joined'] });
    await server.resetRateLimits();
    const former = await server.register('Former name');
    await former.ask();
    const other = await bob.ask();
    await receiver.accepted(3);
    expect(readBodies(await waitForState(id, 'delivered'))).toMatch(/"Former name".*"Former name"/);
    const settings = { displayName: 'Present name', bio: '', showEmail: true };
    // The request does not wait for a delivery that another transaction has locked.
    await transaction(db, async (tx) => {
      await sql`select from webhook_delivery for update`.execute(tx);
      expectOk(await former.put('/settings', settings));
    });
    await eventually(async () => !readBodies(await readDeliveries(id)).includes('Former name'));

    await former.ask();
    await receiver.accepted(4);
    expect(readBodies(await waitForState(id, 'delivered'))).toContain('Present name');
    const merge = { into: ann.id, name: 'Present name', password };
    expectOk(await admin.post(`/admin/members/${former.id}/merge`, merge));
    await eventually(async () => !readBodies(await readDeliveries(id)).includes('Present name'));
    const left = (await readDeliveries(id)).filter(({ requestBody }) => requestBody !== null);
    expect(left.map(({ requestBody }) => requestBody)).toEqual([
      expect.stringContaining(`/question/${other}/`),
    ]);
  });

  test('is not stored with a name that changed during the request', async () => {
    const { id } = await add({ events: ['question.posted'] });
    await server.resetRateLimits();
    const [former, merged] = [await server.register('Earlier name'), await server.register('Merged name')];
    const releases: (() => void)[] = [];
    receiver.behave(() => (_, response) => releases.push(() => response.writeHead(204).end()));
    const questions = [await former.ask(), await merged.ask()];
    await eventually(() => releases.length >= 2);
    await transaction(db, async (tx) => {
      // The attempts end, but are not recorded.
      await sql`select from webhook for update`.execute(tx);
      receiver.behave(null);
      for (const release of releases) release();
      expectOk(await former.put('/settings', { displayName: 'Later name', bio: '', showEmail: true }));
      const merge = { into: bob.id, name: 'Merged name', password };
      expectOk(await admin.post(`/admin/members/${merged.id}/merge`, merge));
      // The jobs have removed the names.
      await eventually(async () => {
        const { rows } = await sql`
          select from question where id = ${questions[1]} and author_id = ${bob.id} and not exists (
            select from parley_jobs.job where name = 'former-name' and state in ('created', 'retry', 'active')
          )`.execute(db);
        return rows.length > 0;
      });
    });
    const bodies = readBodies(await waitForState(id, 'delivered'));
    expect(bodies).not.toMatch(/Earlier name|Merged name/);
  });

  test('is not shown to admins if it was removed while all web hooks were off', async () => {
    const { id } = await add({ events: ['question.posted'] });
    const questionId = await ann.ask({ title: 'Another title to forget' });
    await waitForState(id, 'delivered');
    expectOk(await admin.put(`/admin/webhooks/${id}/enabled`, { enabled: false }));
    await ann.remove('questions', questionId);
    expect((await readDeliveries(id))[0]).toMatchObject({ requestBody: null, state: 'delivered' });
  });

  test.for(['hidden', 'deleted'])('as is an edited reply whose answer is %s', async (how) => {
    const { id } = await add({ events: ['reply.edited'] });
    const question = await ann.ask();
    const { id: answerId } = await bob.answer(question);
    const reply = await ann.replyToAnswer(answerId);
    expectOk(await ann.put(`/replies/${reply.id}`, { content: 'A reply to forget.' }));
    await receiver.accepted(1);
    expect((await waitForState(id, 'delivered'))[0]?.requestBody).toContain('A reply to forget.');
    if (how === 'hidden') expectOk(await actOnPost(admin, 'hide', 'answer', answerId));
    else await bob.remove('answers', answerId);
    await eventually(async () => (await readDeliveries(id))[0]?.requestBody === null);
  });
});

test('a delivery that cannot be prepared counts as a failed attempt', async () => {
  receiver.behave(() => (_, response) => response.writeHead(503).end());
  const { id } = await add({ events: ['question.posted'] });
  await ann.ask();
  await eventually(() => receiver.requests.length > 0);
  // A time that no payload can have.
  await sql`update webhook_delivery set occurred_at = 'infinity' where webhook_id = ${id}`.execute(db);
  await eventually(async () => {
    const { rows } = await sql<{ error: string; attempts: number }>`
      select error, attempts from webhook_delivery where webhook_id = ${id}`.execute(db);
    return rows[0]?.error === 'internal' && rows[0].attempts > 1;
  });
  await sql`update webhook_delivery set occurred_at = now() where webhook_id = ${id}`.execute(db);
  receiver.behave(null);
  expect(await waitForState(id, 'delivered')).toHaveLength(1);
});

describe('a receiver that fails', () => {
  test('gets the same event with the same id again, and later events about the question after it', async () => {
    const { id } = await add();
    let failures = 3;
    receiver.behave(() => (failures-- > 0 ? (_, response) => response.writeHead(500).end('broken') : null));
    const question = await ann.ask();
    await bob.answer(question);
    const requests = await receiver.accepted(2);
    expect(types(requests)).toEqual(['question.posted', 'answer.posted']);
    expect(types(receiver.requests)).toEqual([
      ...Array.from({ length: 4 }, () => 'question.posted'),
      'answer.posted',
    ]);
    expect(new Set(receiver.requests.slice(0, 4).map((each) => each.id)).size).toBe(1);
    const deliveries = await waitForState(id, 'delivered');
    expect(deliveries.map(({ attempts, status }) => [attempts, status])).toEqual([
      [1, 204],
      [4, 204],
    ]);
    expect(await readWebhook(id)).toMatchObject({ failingSince: null, waiting: 0 });
  });

  test('for one question does not delay events about others', async () => {
    await add({ events: ['question.posted', 'answer.posted'] });
    const [bad, good] = [await ann.ask(), await ann.ask()];
    await receiver.accepted(2);
    receiver.behave(({ payload }) =>
      payload.data.question?.id === bad ? (_, response) => response.writeHead(400).end() : null,
    );
    await bob.answer(bad);
    await bob.answer(good);
    await bob.answer(good);
    expect((await receiver.accepted(4)).slice(2).map(({ payload }) => payload.data.question?.id)).toEqual([
      good,
      good,
    ]);
  });

  test.each([
    ['hangs', null, 'timeout'],
    ['closes the connection', 'close', 'connection-closed'],
    ['redirects into the network', 'redirect', 'redirect'],
    ['responds with what is not HTTP', 'garbage', 'connection-failed'],
    ['switches to another protocol', 'upgrade', 'timeout'],
  ])('when it %s is asked again', async (_, how, error) => {
    // Attempts of an earlier test may still arrive at the other address.
    const { id } = await add({ address: `${receiver.address}/failing` });
    const inside = await startWebhookReceiver();
    receiver.behave(() => (_request, response) => {
      if (how === 'close') response.destroy();
      if (how === 'garbage') response.socket?.end('220 mail.example.org\r\n\r\n');
      if (how === 'upgrade')
        response.socket?.write(
          'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: it\r\n\r\n',
        );
      if (how === 'redirect') response.writeHead(307, { location: `${inside.address}/steal` }).end();
    });
    expectOk(await admin.post(`/admin/webhooks/${id}/tests`, {}));
    await eventually(async () => (await readDeliveries(id))[0]?.error === error);
    receiver.behave(null);
    await receiver.accepted(1, '/failing');
    const received = receiver.requests.filter(({ path }) => path === '/failing');
    expect(new Set(received.map((each) => each.id)).size).toBe(1);
    expect(inside.requests).toEqual([]);
    await inside.stop();
  });

  test('when it sends an endless body is not read beyond a kilobyte', async () => {
    const { id } = await add();
    let sent = 0;
    receiver.behave(() => (_, response) => {
      response.writeHead(200);
      const write = () => {
        if (response.destroyed || sent > 200_000_000) return;
        sent += 65_536;
        response.write('x\0'.repeat(32_768), () => setImmediate(write));
      };
      write();
    });
    expectOk(await admin.post(`/admin/webhooks/${id}/tests`, {}));
    const [delivery] = await waitForState(id, 'delivered');
    expect(delivery?.responseBody).toBe('x'.repeat(512));
    expect(sent).toBeLessThan(20_000_000);
  });

  test('is left alone for as long as it asks', async () => {
    const { id } = await add();
    receiver.behave(() => (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    await ann.ask();
    await eventually(async () => (await readDeliveries(id))[0]?.status === 429);
    await ann.ask();
    await eventually(async () => (await readDeliveries(id)).length === 2);
    const { rows } = await sql<{ pause: number; wait: number }>`
      select extract(epoch from paused_until - now())::float8 as pause,
        (select max(extract(epoch from next_attempt_at - now()))::float8 from webhook_queue) as wait
      from webhook`.execute(db);
    expect(rows[0]?.pause).toBeGreaterThan(3_500);
    expect(rows[0]?.wait).toBeGreaterThan(3_500);
    expect(receiver.requests).toHaveLength(1);
  });

  test('does not delay other web hooks when it hangs', async () => {
    const hanging = await add({ address: `${receiver.address}/hanging` });
    const healthy = await add({ address: `${receiver.address}/healthy` });
    receiver.behave(({ path }) => (path === '/hanging' ? () => {} : null));
    for (let index = 0; index < 20; index++)
      expectOk(await admin.post(`/admin/webhooks/${hanging.id}/tests`, {}));
    expectOk(await admin.post(`/admin/webhooks/${healthy.id}/tests`, {}));
    await receiver.accepted(1, '/healthy');
    // Not behind the 20 attempts that hang.
    expect(receiver.requests.filter(({ path }) => path === '/hanging').length).toBeLessThan(20);
  });
});

describe('a web hook is switched off', () => {
  test('after three days without a success, and admins are notified once', async () => {
    const { id } = await add();
    receiver.behave(() => (_, response) => response.writeHead(500).end());
    const question = await ann.ask();
    const attempts = async () => (await readDeliveries(id))[0]?.attempts ?? 0;
    await eventually(async () => (await attempts()) > 0);
    await age(id, 2);
    const before = await attempts();
    await eventually(async () => (await attempts()) > before);
    expect(await readWebhook(id)).toMatchObject({ enabled: true });
    await age(id, 1);
    await eventually(async () => !(await readWebhook(id)).enabled);
    expect(await readWebhook(id)).toMatchObject({ stopReason: 'failures' });
    expect(await readNotified(admin)).toMatchObject([{ link: '/admin/webhooks', senderId: null }]);
    expect(await readNotified(ann)).toEqual([]);
    expect((await readDeliveries(id))[0]).toMatchObject({ state: 'failed' });

    // Switched on again, the hook gets what happens from then on, and what an admin sends again.
    receiver.behave(null);
    expectOk(await admin.put(`/admin/webhooks/${id}/enabled`, { enabled: true }));
    const [failed] = await readDeliveries(id);
    expectOk(await admin.post(`/admin/webhooks/${id}/deliveries/${failed?.id}/attempts`, {}));
    // What the deleted hook of an earlier test was sending may still arrive, at another path.
    const [again] = await receiver.accepted(1, '/hook');
    expect(again).toMatchObject({ id: failed?.messageId, payload: { data: { question: { id: question } } } });
  });

  test('not by one failure days after a failed delivery that was not needed any more', async () => {
    const { id } = await add({ events: ['question.posted'] });
    receiver.behave(() => (_, response) => response.writeHead(503, { 'retry-after': '1' }).end());
    const removed = await ann.ask();
    await eventually(async () => (await readDeliveries(id))[0]?.status === 503);
    await ann.remove('questions', removed);
    await waitForState(id, 'skipped');
    expect(await readWebhook(id)).toMatchObject({ failingSince: null });
    // As a deleted account that takes its delivery along leaves it.
    await sql`update webhook set failing_since = now() - interval '4 days'`.execute(db);
    await ann.ask();
    await eventually(async () => (await readDeliveries(id))[0]?.status === 503);
    expect(await readWebhook(id)).toMatchObject({ enabled: true });
    receiver.behave(null);
    await receiver.accepted(1);
  });

  test('at once by 410 Gone; what waits is sent when it is on again', async () => {
    const { id } = await add();
    receiver.behave(() => (_, response) => response.writeHead(410).end());
    await ann.ask();
    await eventually(async () => !(await readWebhook(id)).enabled);
    expect(await readWebhook(id)).toMatchObject({ stopReason: 'gone', waiting: 1 });
    receiver.behave(null);
    expectOk(await admin.put(`/admin/webhooks/${id}/enabled`, { enabled: true }));
    await receiver.accepted(1);
  });
});

describe('no request reaches a private network', () => {
  const request = { headers: {}, body: '{}' };
  const send = (address: string, allowed: string[] = []) =>
    sendWebhookRequest({ address, ...request }, { hosts: createWebhookHosts(allowed), timeoutMs: 2_000 });
  const { port } = new URL(receiver.address);

  test.each([
    ['by a name that points to the server itself', `https://localhost:${port}/`],
    ['by an address', `https://127.0.0.1:${port}/`],
    ['by an address in another notation', `https://0x7f.1:${port}/`],
    ['by an IPv4 address in an IPv6 address', `https://[::ffff:127.0.0.1]:${port}/`],
    ['by http', `http://localhost:${port}/`],
  ])('%s', async (_, address) => {
    expect(await send(address)).toMatchObject({ error: 'address-refused', status: null });
    expect(receiver.requests).toEqual([]);
  });

  test('unless the operator allows the name or the address', async () => {
    expect(await send(`http://localhost:${port}/`, ['localhost'])).toMatchObject({
      status: 204,
      error: null,
    });
    expect(await send(`http://127.0.0.1:${port}/`, ['127.0.0.0/8'])).toMatchObject({ status: 204 });
    // It resolves to an allowed address, but http is for allowed hosts only.
    expect(await send(`http://localhost:${port}/`, ['127.0.0.1'])).toMatchObject({
      error: 'address-refused',
    });
  });
});

test('deliveries are removed after 30 days, but not while they wait', async () => {
  const { id } = await add();
  await ann.ask();
  await waitForState(id, 'delivered');
  receiver.behave(() => (_, response) => response.writeHead(500).end());
  await ann.ask();
  await eventually(async () => (await readDeliveries(id)).length === 2);
  await sql`update webhook_delivery set created_at = now() - interval '31 days'`.execute(db);
  await deleteOldDeliveries(db);
  expect((await readDeliveries(id)).map(({ state }) => state)).toEqual(['pending']);
});

test('a deleted web hook disappears at once, and its rows in batches of the hourly job', async () => {
  const other = await add({ name: 'Other' });
  const { id } = await add();
  for (let n = 0; n < 3; n++) await ann.ask();
  await eventually(async () => (await waitForState(id, 'delivered')).length === 3);
  expectOk(await admin.delete(`/admin/webhooks/${id}`));
  expect((await admin.get(`/admin/webhooks/${id}/deliveries`)).status).toBe(404);
  expect((await admin.delete(`/admin/webhooks/${id}`)).status).toBe(404);
  const { items } = expectOk(await admin.get<{ items: Webhook[] }>('/admin/webhooks'));
  expect(items.map(({ name }) => name)).toEqual(['Other']);
  const count = async (webhookId: number) => {
    const { rows } = await sql<{ hooks: number; deliveries: number }>`
      select (select count(*) from webhook where id = ${webhookId}) as hooks,
        (select count(*) from webhook_delivery where webhook_id = ${webhookId}) as deliveries`.execute(db);
    return rows[0];
  };
  // The request deletes no deliveries: there can be millions.
  expect(await count(id)).toEqual({ hooks: 1, deliveries: 3 });
  await deleteOldDeliveries(db, { limit: 2 });
  expect(await count(id)).toEqual({ hooks: 0, deliveries: 0 });
  expect(await count(other.id)).toEqual({ hooks: 1, deliveries: 3 });
});

test('a renamed or merged tag is no edit of its questions', async () => {
  const { id } = await add();
  await ann.ask({ tags: ['flour'] });
  await ann.ask({ tags: ['baking'] });
  const retag = async (kind: 'rename' | 'merge', tag: string, to: string) =>
    expectOk(await admin.post('/moderation/tag-changes', { kind, tag, to, reason: 'Clearer.' }));
  await retag('rename', 'flour', 'flours');
  await retag('merge', 'flours', 'baking');
  const last = await ann.ask({ tags: ['baking'] });
  expect(types(await receiver.accepted(3))).toEqual(Array(3).fill('question.posted'));
  await eventually(async () => (await readDeliveries(id)).some(({ questionId }) => questionId === last));
  expect((await readDeliveries(id)).map(({ eventType }) => eventType)).toEqual(
    Array(3).fill('question.posted'),
  );
});

describe('a new member', () => {
  test('is an event with name and address, whatever the tags, once the account is a member', async () => {
    const { id } = await add({ events: ['member.joined', 'question.posted'], tags: [] });
    const cy = await server.register('Cy');
    const [delivery] = await waitForState(id, 'delivered');
    expect(delivery).toMatchObject({ eventType: 'member.joined', questionId: null });
    // The web hook of the test before retries.
    const announced = receiver.requests.filter(({ payload }) => payload.type === 'member.joined');
    expect(announced.map(({ payload }) => payload)).toMatchObject([
      {
        type: 'member.joined',
        data: { member: { id: cy.id, name: 'Cy', url: expect.stringContaining(`/profile/${cy.id}`) } },
      },
    ]);
    expect(JSON.stringify(receiver.requests)).not.toContain(cy.email);
    // The delivery names the member, so it goes with the account.
    expectOk(await cy.post('/account-deletion', { password, posts: 'keep' }));
    expect(await readDeliveries(id)).toEqual([]);
  });

  test('who waits for approval is announced once approved', async () => {
    const { id } = await add({ events: ['member.joined'] });
    const dee = await server.register('Dee');
    await waitForState(id, 'delivered');
    receiver.requests.length = 0;
    await sql`update member set application = 'waiting' where id = ${dee.id}`.execute(db);
    expectOk(await admin.put(`/moderation/applications/${dee.id}/decision`, { decision: 'approve' }));
    await eventually(() => receiver.requests.length > 0);
    expect(receiver.requests[0]?.payload).toMatchObject({ data: { member: { id: dee.id } } });
  });
});

test('switching a web hook on and recording an attempt do not wait for each other', async () => {
  const { id } = await add();
  expectOk(await admin.put(`/admin/webhooks/${id}/enabled`, { enabled: false }));
  const claimed = { webhook_id: id, resource: 'question:1', claim: randomUUID() };
  await sql`
    insert into webhook_queue (webhook_id, resource, claim, next_attempt_at)
    values (${id}, ${claimed.resource}, ${claimed.claim}::uuid, now() + interval '1 hour')`.execute(db);
  let runs = 0;
  const switching = Promise.withResolvers<void>();
  await transaction(db, async (tx) => {
    runs++;
    await lockClaim(tx, claimed);
    void transaction(db, (other) => (runs++, switchWebhook(other, id, true))).then(
      switching.resolve,
      switching.reject,
    );
    await eventually(async () => {
      const { rows } = await sql`select from pg_locks where not granted`.execute(db);
      return rows.length > 0;
    });
    await noteFailure(tx, { id, pauseMs: null, giveUpAfter: '3 days' });
  });
  await switching.promise;
  // PostgreSQL ends one of two transactions that wait for each other, and it runs again.
  expect(runs).toBe(2);
});

test('a repeated delivery has as many attempts as a new one', async () => {
  receiver.behave(() => (_, response) => response.writeHead(500).end());
  const { id } = await add({ events: ['question.posted'] });
  await ann.ask();
  await eventually(async () => ((await readDeliveries(id))[0]?.attempts ?? 0) >= 3);
  receiver.behave(null);
  const [delivered] = await waitForState(id, 'delivered');
  expectOk(await admin.post(`/admin/webhooks/${id}/deliveries/${delivered?.id}/attempts`, {}));
  await eventually(async () => (await readDeliveries(id))[0]?.attempts === 1);
});

test('a pause that the receiver asked for ends with a new address', async () => {
  const { id } = await add({ events: ['question.posted'] });
  receiver.behave(() => (_, response) => response.writeHead(503, { 'retry-after': '86400' }).end());
  await ann.ask();
  await eventually(async () => (await readDeliveries(id))[0]?.status === 503);
  receiver.behave(null);
  receiver.requests.length = 0;
  const changed = { name: 'Bridge', address: `${receiver.address}/other`, format: 'standard', tags: [] };
  expectOk(await admin.put(`/admin/webhooks/${id}`, { ...changed, events: ['question.posted'] }));
  // The delivery that waits is due at once.
  await receiver.accepted(1);
});

test('a tag that became a synonym after it was chosen stands for its tag', async () => {
  await ann.ask({ tags: ['crumpet'] });
  await add({ events: ['question.posted'], tags: ['crumpet'] });
  await sql`
    with renamed as (update tag set name = 'pikelet', key = 'pikelet' where key = 'crumpet' returning id)
    insert into tag (name, key, synonym_of) select 'crumpet', 'crumpet', id from renamed`.execute(db);
  const id = await ann.ask({ tags: ['crumpet'] });
  const [request] = await receiver.accepted(1);
  expect(request?.payload.data.question).toMatchObject({ id, tags: ['pikelet'] });
});
