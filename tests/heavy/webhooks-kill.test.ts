import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { openDatabase } from '#server/core/database.ts';
import { createTestCluster } from '#tests/support/cluster.ts';
import { expectOk, register } from '#tests/support/member.ts';
import { eventually } from '#tests/support/parley.ts';
import { type ReceivedRequest, startWebhookReceiver } from '#tests/support/webhook-receiver.ts';

const rounds = 4;

test('no event is lost or overtakes another of its question while nodes are killed and the receiver fails', async () => {
  const receiver = await startWebhookReceiver();
  const { database, start } = await createTestCluster();
  const db = openDatabase({ connection: database.connection });
  const env = { WEBHOOK_HOSTS: '127.0.0.1', RATE_LIMITS: 'off', HOST: '127.0.0.1' };
  const steady = start(env);
  const address = await steady.ready;
  const ann = await register(address, 'Ann');
  await setRole(db, { email: ann.email, role: 'admin' });
  const hook = { name: 'Ledger', address: receiver.address, format: 'standard', tags: [] };
  const events = ['question.posted', 'answer.posted', 'reply.posted'];
  const { secret } = expectOk(await ann.post<{ secret: string }>('/admin/webhooks', { ...hook, events }));
  let handled = 0;
  // Each event fails once at most: the pauses between attempts grow, so a second failure would take minutes.
  const failed = new Set<string>();
  receiver.behave(({ id }) => {
    handled++;
    if ((handled % 7 !== 0 && handled % 11 !== 0) || failed.has(id)) return null;
    failed.add(id);
    const isBusy = handled % 7 === 0;
    return (_, response) => (isBusy ? response.writeHead(503).end() : response.destroy());
  });

  const expected = new Map<number, string[]>();
  for (let round = 0; round < rounds; round++) {
    const victim = start(env);
    const there = ann.onServer(await victim.ready);
    const post = async () => {
      const id = await ann.ask({ tags: [`round ${round}`] });
      const posted = [`question.posted ${id}`];
      expected.set(id, posted);
      for (let index = 0; index < 3; index++) {
        const { id: answerId } = await (index % 2 === 0 ? ann : there).answer(id);
        posted.push(`answer.posted ${answerId}`);
        const reply = await ann.replyToAnswer(answerId);
        posted.push(`reply.posted ${reply.id}`);
      }
    };
    await Promise.all([post(), post(), post()]);
    victim.signal('SIGKILL');
    await victim.ended;
    await sql`delete from rate_limit`.execute(db);
  }
  const total = [...expected.values()].flat().length;
  // What the killed nodes were sending is free again after 30 seconds.
  await eventually(() => listAccepted(receiver.requests).length >= total);

  const seen = listAccepted(receiver.requests);
  for (const [id, posted] of expected)
    expect(seen.filter(({ payload }) => payload.data.question?.id === id).map(describe)).toEqual(posted);
  expect(seen).toHaveLength(total);
  for (const request of seen) receiver.verify(secret, request);
  await eventually(async () => {
    const { rows } = await sql`select from webhook_queue`.execute(db);
    return rows.length === 0;
  });
  await db.destroy();
  await receiver.stop();
}, 240_000);

/** The accepted requests in order, without repetitions of an id. */
function listAccepted(requests: readonly ReceivedRequest[]): ReceivedRequest[] {
  const first = new Map<string, ReceivedRequest>();
  for (const each of requests) if (each.accepted && !first.has(each.id)) first.set(each.id, each);
  return [...first.values()];
}

function describe({ payload: { type, data } }: ReceivedRequest): string {
  const post = data.reply ?? data.answer ?? data.question;
  return `${type} ${post?.id}`;
}
