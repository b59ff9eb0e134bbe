import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { transaction, type Tx } from '#server/core/database.ts';
import type { Member } from '#tests/support/member.ts';
import { createManyMembers } from '#tests/support/many-members.ts';
import { startTestServer } from '#tests/support/server.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
const many = await createManyMembers(server, 300);

test('300 concurrent votes on one answer are all counted, and its author earns reputation for each', async () => {
  const answer = await ann.answer(await ann.ask());
  const [up, down] = [200, 100];
  const before = (await ann.me()).reputation;
  await Promise.all(many.map((member, n) => member.vote('answers', answer.id, n < up ? 'up' : 'down')));
  const { items } = (await ann.read(answer.questionId)).answers;
  expect(items[0]).toMatchObject({ upvotes: up, downvotes: down });
  expect((await ann.me()).reputation).toBe(before + 10 * up - 2 * down);
});

test('each of many concurrent votes gets its own response, also when others are refused', async () => {
  const [id, other] = [await ann.ask(), await ann.ask()];
  const reply = await ann.replyToQuestion(id);
  await ann.remove('replies', reply.id);
  const wanted = many.slice(0, 40).map((member, n) => {
    if (n % 4 === 0) return member.put(`/questions/999999999/vote`, { vote: 'up' });
    if (n % 4 === 1) return member.put(`/replies/${reply.id}/vote`, { vote: 'up' });
    return member.put(`/questions/${n % 4 === 2 ? id : other}/vote`, { vote: n % 4 === 2 ? 'up' : 'down' });
  });
  const statuses = (await Promise.all(wanted)).map((answer) => answer.status);
  expect(statuses).toEqual(many.slice(0, 40).map((_, n) => (n % 4 < 2 ? 404 : 200)));
  expect((await ann.read(id)).question).toMatchObject({ upvotes: 10, downvotes: 0 });
  expect((await ann.read(other)).question).toMatchObject({ upvotes: 0, downvotes: 10 });
});

test('votes on a locked question wait, and votes of other members on other questions do not', async () => {
  const [held, free] = [await ann.ask(), await ann.ask()];
  // A member's own writes are carried out one after the other (decision 36).
  const [voters, others] = [many.slice(0, 30), many.slice(30, 60)];
  let settled = 0;
  const waiting = await transaction(server.db, async (tx) => {
    await sql`select from question where id = ${held} for update`.execute(tx);
    const onHeld = voters.map((member) => member.vote('questions', held, 'up').finally(() => settled++));
    const onFree = others.map((member) => member.vote('questions', free, 'up'));
    await Promise.all(onFree);
    expect(settled).toBe(0);
    return { onHeld };
  });
  await Promise.all(waiting.onHeld);
  expect((await ann.read(held)).question.upvotes).toBe(30);
  expect((await ann.read(free)).question.upvotes).toBe(30);
});

test('300 concurrent views of a question are all counted, each once', async () => {
  const id = await ann.ask();
  const twice = [...many, ...many];
  const answers = await Promise.all(twice.map((member) => member.put(`/questions/${id}/view`)));
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([204]));
  expect((await ann.read(id)).question.views).toBe(300);
  expect(await ann.put('/questions/999999999/view')).toMatchObject({ status: 404 });
});

test('100 concurrent answers to one question are all stored, and retries with the same key once', async () => {
  const id = await ann.ask({ tags: ['bread'] });
  const answering = many.slice(0, 100).flatMap((member, n) => {
    const send = () =>
      member.post<{ id: number }>(`/questions/${id}/answers`, { content: `${n}` }, `${n}-of-many`);
    return [send(), send()];
  });
  const refused = many[0]?.post('/questions/999999999/answers', { content: 'Where?' }, 'nowhere-to-go');
  const answers = await Promise.all(answering);
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]));
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(100);
  expect((await ann.read(id)).question.answerCount).toBe(100);
  expect(await refused).toMatchObject({ status: 404 });
  // A rejected request does not use up its key.
  const later = many[0]?.post(`/questions/${id}/answers`, { content: 'Here.' }, 'nowhere-to-go');
  expect(await later).toMatchObject({ status: 201 });
  expect(await findViolations(server.db)).toEqual([]);
});

/** The transactions that have waited for a lock for this long. */
const listLockWaits = async (seconds = 0) => {
  const { rows } = await sql<{ start: string; blockers: number[] }>`
    select xact_start::text as start, pg_blocking_pids(pid) as blockers from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
      and query_start < now() - make_interval(secs => ${seconds})`.execute(server.db);
  return rows;
};

const getPid = async (tx: Tx) => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
  return rows[0]?.pid ?? 0;
};

/** Returns a question of each member. */
const askAll = (members: Member[]) => Promise.all(members.map((member) => member.ask()));

const lockQuestions = (tx: Tx, ids: number[]) =>
  sql`select from question where id = any(${ids}::bigint[]) order by id for update`.execute(tx);

test('votes on many locked questions wait, and those on another question and reads do not', async () => {
  await server.resetRateLimits();
  const voters = many.slice(0, 100);
  const held = await askAll(voters);
  const free = await ann.ask();
  const [voter, other] = many.slice(200);
  let settled = 0;
  const waiting = await transaction(server.db, async (tx) => {
    await lockQuestions(tx, held);
    const vote = (member: Member, n: number) =>
      member.vote('questions', held.at(n - 1) ?? 0, 'up').finally(() => settled++);
    const onHeld = voters.slice(0, 10).map(vote);
    await expect.poll(async () => (await listLockWaits()).length, { timeout: 10_000 }).toBeGreaterThan(0);
    // In one batch with votes on locked questions. A vote that waits for all of them is refused after 15 seconds.
    onHeld.push(...voters.slice(10).map((member, n) => vote(member, n + 10)));
    await Promise.all([voter?.vote('questions', free, 'up'), other?.read(free)]);
    expect(settled).toBe(0);
    return { onHeld };
  });
  await Promise.all(waiting.onHeld);
  for (const id of [...held, free]) expect((await ann.read(id)).question.upvotes).toBe(1);
});

test('a vote on a question that is locked briefly does not wait for many that are locked for longer', async () => {
  await server.resetRateLimits();
  const voters = many.slice(100, 112);
  const held = await askAll(voters);
  const brief = await ann.ask();
  const voter = many.at(-1);
  let settled = 0;
  const waiting = await transaction(server.db, async (tx) => {
    await lockQuestions(tx, held);
    const onHeld = voters.map((member, n) =>
      member.vote('questions', held.at(n - 1) ?? 0, 'up').finally(() => settled++),
    );
    // Longer than a batch waits.
    await expect.poll(async () => (await listLockWaits(1.5)).length, { timeout: 10_000 }).toBe(6);
    const onBrief = await transaction(server.db, async (briefly) => {
      await lockQuestions(briefly, [brief]);
      const pid = await getPid(briefly);
      const voting = voter?.vote('questions', brief, 'up');
      const tries = new Set<string>();
      const countTries = async () => {
        for (const { start, blockers } of await listLockWaits()) if (blockers.includes(pid)) tries.add(start);
        return tries.size;
      };
      // Its batch, a try of its own, and another one.
      await expect.poll(countTries, { timeout: 10_000, interval: 10 }).toBe(3);
      return { voting };
    });
    await onBrief.voting;
    expect(settled).toBe(0);
    return { onHeld };
  });
  await Promise.all(waiting.onHeld);
  for (const id of [...held, brief]) expect((await ann.read(id)).question.upvotes).toBe(1);
});
